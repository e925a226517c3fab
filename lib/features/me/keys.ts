import { createHash } from 'node:crypto';
import type { Key } from '../../dynamodb/keys.ts';

export const issuerKey: Key = { pk: 'SUBJECTS', sk: 'ISSUER' };

/** Partitions of all people's items, for a grant. */
export const PERSON_PARTITIONS = 'PERSON#*';

/** Key of a person's item, which may exist without a user. The hash hides the subject. */
export const personKey = (subject: string): Key => ({
  pk: `PERSON#${createHash('sha256').update(subject).digest('base64url')}`,
  sk: 'PERSON',
});
