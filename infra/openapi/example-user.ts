import { type FieldValue, findExample } from '../../lib/users/fields/declaration.ts';
import { ownFields, resolveFields } from '../../lib/users/fields/values.ts';
import type { User } from '../../lib/users/user.ts';

const values: [string, FieldValue | undefined][] = ownFields
  .filter(({ deprecated }) => !deprecated)
  .map((field) => [field.name, findExample(field)]);

const exampleValues = ownFields.length > 0 ? Object.fromEntries(values) : undefined;

const person = { name: 'Ada Lovelace', email: 'ada@example.org' };

export const exampleUser: User = {
  id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23',
  ...person,
  ...resolveFields(exampleValues),
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
};

/** Omits deprecated fields. */
export const exampleBody = { ...person, ...exampleValues };

const writable = ownFields.filter(({ self }) => self === 'write').map((field) => field.name);

/** Only fields that people may write. */
export const exampleMe = {
  name: person.name,
  ...Object.fromEntries(Object.entries(exampleValues ?? {}).filter(([name]) => writable.includes(name))),
};
