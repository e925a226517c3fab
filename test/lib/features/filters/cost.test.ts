import { expect, test, vi } from 'vitest';
import { createUser, updateUser } from '../../../../lib/users/write.ts';
import { measureCost } from '../../../bench/measure.ts';
import { newPerson } from '../../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/list-own-fields.json';
});

const measureWrites = async (run: () => Promise<unknown>): Promise<number> => {
  const { writes, indexWrites } = await measureCost(run);
  return writes + indexWrites;
};

const createWith = (fields: object) => createUser({ ...newPerson(), name: 'Ada Lovelace', ...fields }, 'test');
const create = (fields: object) => measureWrites(() => createWith(fields));

test('a value costs a creation two write units for each entry', async () => {
  const none = await create({});
  expect(await create({ plan: 'pro' })).toBe(none);
  expect(await create({ tags: ['a', 'b'] })).toBe(none + 4);
  expect(await create({ active: true })).toBe(none + 2);
  expect(await create({ note: 'no entry' })).toBe(none);
});

test('a change of a filter or sort value costs five more write units than another change, which pays for no entry', async () => {
  const { user } = await createWith({ plan: 'free', hired: '2026-01-31' });
  const update = (changes: object) => measureWrites(() => updateUser({ id: user.id, ...changes }, 'test'));
  expect(await update({ note: 'another' })).toBe(2);
  expect(await update({ plan: 'pro' })).toBe(7);
  expect(await update({ plan: 'pro', note: 'again' })).toBe(2);
  // The field is a filter, too.
  expect(await update({ hired: '2026-02-28' })).toBe(11);
});
