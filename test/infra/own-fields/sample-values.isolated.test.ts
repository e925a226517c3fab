import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { createPeople, createSample } from '../../../infra/local/sample.ts';
import { readFields } from '../../../infra/own-fields/declarations.ts';
import { ownFields, uniqueFields } from '../../../lib/users/fields/values.ts';
import { createUserInput } from '../../../lib/users/input.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { findUserByField } from '../../../lib/users/unique-values.ts';
import { searchUsers } from '../../lib/features/search/fixtures.ts';

const { FIELDS_FILE } = vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
  return { FIELDS_FILE: process.env.FIELDS_FILE };
});

test('the fields that tests declare are valid', () => {
  expect(Object.keys(readFields(JSON.parse(readFileSync(FIELDS_FILE, 'utf8'))))).toEqual(
    ownFields.map(({ name }) => name),
  );
});

test('sample users have valid values of every field, the same each time', () => {
  const people = createPeople(500);
  expect(createPeople(500)).toEqual(people);
  for (const { name, email, fields } of people) {
    const { data, error } = createUserInput.safeParse({ name, email, ...fields });
    expect(error?.issues).toBeUndefined();
    expect(data).toEqual({ name, email, ...fields });
  }
  for (const { name } of ownFields) expect(people.filter(({ fields }) => name in fields).length).toBeGreaterThan(250);
});

test('values of unique fields differ', () => {
  const people = createPeople(500);
  for (const { name } of uniqueFields) {
    const values = people.flatMap(({ fields }) => fields[name] ?? []).map((value) => `${value}`.toLowerCase());
    expect(new Set(values).size).toBe(values.length);
  }
});

test('sample users are found by unique and searched values', async () => {
  await createSample(10);
  const { users } = await listUsers({ limit: 10 });
  for (const user of users)
    for (const field of uniqueFields) {
      const value = user.fields?.[field.name];
      if (typeof value === 'string' || typeof value === 'number')
        expect(await findUserByField(field, value)).toEqual(user);
    }
  const user = users.find(({ fields }) => fields?.nickname);
  const found = await searchUsers({ text: String(user?.fields?.nickname), limit: 10 });
  // Search results do not contain `by`.
  const { by, ...shown } = user ?? {};
  expect(found.users.map(({ user }) => user)).toContainEqual(expect.objectContaining(shown));
});
