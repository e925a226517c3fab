import { createHash } from 'node:crypto';
import type { Key } from '../../dynamodb/keys.ts';

/** Names the token issuer that the subjects of all users belong to. */
export const issuerKey: Key = { pk: 'SUBJECTS', sk: 'ISSUER' };

/** What the table remembers of a person, with and without a user. The hash does not reveal the subject. */
export const personKey = (subject: string): Key => ({
  pk: `PERSON#${createHash('sha256').update(subject).digest('base64url')}`,
  sk: 'PERSON',
});
