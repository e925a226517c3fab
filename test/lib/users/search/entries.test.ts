import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { User } from '../../../../lib/users/schema.ts';
import { createEntries, updateEntries } from '../../../../lib/users/search/entries.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { byKey, newUser, readEntries, toItem, write } from './fixtures.ts';

beforeEach(clearTable);

const expectEntries = async (user: User | undefined) =>
  expect((await readEntries()).sort(byKey)).toEqual((user ? createEntries(user) : []).sort(byKey));

const names = fc.array(fc.constantFrom('Ada', 'King', 'Bo'), { minLength: 1, maxLength: 3 });
const fields = fc.record({ name: names.map((words) => words.join(' ')), email: fc.constantFrom('a@b.io', 'ada@b.io') });
const histories = fc.record({
  writes: fc.array(fields, { minLength: 1, maxLength: 5 }),
  isDeleted: fc.boolean(),
  /** These records come next; those that are left come at the end. */
  order: fc.array(fc.nat(9), { maxLength: 20 }),
});

test('in whatever order and however often the records of a user come, the entries are those of the last one', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async ({ writes, isDeleted, order }) => {
      const base = newUser('x');
      const versions = writes.map((each, at): User => ({ ...base, ...each, version: at + 1 }));
      const states = [undefined, ...versions, ...(isDeleted ? [undefined] : [])];
      const records = states.slice(1).map((after, at) => ({ before: states[at], after }));
      const due = [...order.map((at) => records[at % records.length]), ...records.toReversed()];
      for (const record of due) await write(record?.before, record?.after);
      await expectEntries(states.at(-1));
      await clearTable();
    }),
    { numRuns: 60 },
  );
});

test('two consumers at once leave the entries of the newer record', async () => {
  const user = newUser('Ada Lovelace');
  const [renamed, again] = [
    { ...user, name: 'Ada King', version: 2 },
    { ...user, name: 'King Ada', version: 3 },
  ];
  await Promise.all([write(renamed, again), write(user, renamed), write(undefined, user), write(user, renamed)]);
  await expectEntries(again);
});

test('a user whose item is damaged has no entries, and stops nobody', async () => {
  const user = newUser('Ada');
  await updateEntries({ before: undefined, after: { ...toItem(user), version: 'one' } });
  await expectEntries(undefined);
});
