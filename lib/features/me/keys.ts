import { createHash } from 'node:crypto';
import type { Key } from '../../dynamodb/keys.ts';

/** Stores the token issuer of all subjects. */
export const issuerKey: Key = { pk: 'SUBJECTS', sk: 'ISSUER' };

/** Key of a person's write count and last deletion. Exists also without a user. The hash hides the subject. */
export const personKey = (subject: string): Key => ({
  pk: `PERSON#${createHash('sha256').update(subject).digest('base64url')}`,
  sk: 'PERSON',
});
