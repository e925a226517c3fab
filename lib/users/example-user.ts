import { resolveFields } from '../features/own-fields/declared.ts';
import { exampleValues } from '../features/own-fields/example-user.ts';
import type { User } from './schema.ts';

const person = { name: 'Ada Lovelace', email: 'ada@example.org' };

/** Documents and samples show this user. */
export const exampleUser: User = {
  id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23',
  ...person,
  ...resolveFields(exampleValues),
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
};

/** The body that creates this user: it has no deprecated fields. */
export const exampleBody = { ...person, ...exampleValues };
