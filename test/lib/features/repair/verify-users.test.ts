import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { beforeEach, expect, test } from 'vitest';
import { handler as onChange } from '../../../../functions/on-change.ts';
import { deleteItems, putItems } from '../../../../lib/dynamodb/batches.ts';
import { allUsersJob, changedUsersJob } from '../../../../lib/features/repair/jobs.ts';
import type { Repairs } from '../../../../lib/features/repair/verify-users.ts';
import { createEntries } from '../../../../lib/features/search/entries.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { sizes } from '../../../../lib/sizes.ts';
import type { User } from '../../../../lib/users/schema.ts';
import { newUser, toItem } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { byKey, putEntries, readEntries } from '../search/fixtures.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

sizes.verifiedItems = 15;
/** A pass over all users and their entries, 80 items, takes so many. */
const RUNS = 6;
/** Whichever items come first, one run does not verify all of these. */
const others = Array.from({ length: 20 }, (_, at) => newUser(`Bob ${at}`));

/** Runs the jobs some time after now. Returns how many entries they repaired. */
async function run(after: number): Promise<number> {
  const options = { now: () => Date.now() + after, pause: async () => {} };
  const found: Partial<Repairs>[] = Object.values(await runJobs([changedUsersJob, allUsersJob], () => true, options));
  return found.reduce((sum, { entries = 0 }) => sum + entries, 0);
}

let sequence = 1;

/** Does what on-change does for a write. */
async function write(before: User | undefined, after: User | undefined): Promise<void> {
  const [oldItem, item] = [before, after].map((user) => (user ? toItem(user) : undefined));
  const { pk, sk } = Object(item ?? oldItem);
  if (item) await putItems([item]);
  const record = {
    eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
    dynamodb: {
      Keys: marshall({ pk, sk }),
      ...(oldItem ? { OldImage: marshall(oldItem) } : {}),
      ...(item ? { NewImage: marshall(item) } : {}),
      SequenceNumber: String(sequence++),
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
    },
  } as DynamoDBRecord;
  expect(await onChange({ Records: [record] })).toEqual({ batchItemFailures: [] });
}

const removeEntries = (users: User[]) => deleteItems(users.flatMap(createEntries).map(({ pk, sk }) => ({ pk, sk })));

/** After a pass, the schedule verifies only changes for a day. */
async function finishPass(): Promise<void> {
  for (let runs = 0; runs < RUNS; runs++) expect(await run(0)).toBe(0);
}

beforeEach(async () => {
  await clearTable();
  await putItems(others.map(toItem));
  await putEntries(others);
});

test('entries that a change should have written or removed are repaired some minutes after it', async () => {
  const [ada, eve, gone] = ['Ada Lovelace', 'Eve', 'Cy Young'].map((name) => newUser(name)) as [User, User, User];
  const renamed = { ...ada, name: 'Augusta King', version: 2 };
  await write(undefined, ada);
  await write(ada, renamed);
  await write(undefined, eve);
  await write(gone, undefined);
  const users = [...others, renamed, eve];
  const expected = users.flatMap(createEntries).sort(byKey);
  expect((await readEntries()).sort(byKey)).toEqual(expected);
  await finishPass();
  // A writer without the condition, or a failed one, would leave this.
  await removeEntries([renamed, eve]);
  await putEntries([ada, gone]);
  expect(await run(MINUTE)).toBe(0);
  expect(await run(4 * MINUTE)).toBeGreaterThan(0);
  expect((await readEntries()).sort(byKey)).toEqual(expected);
  expect(await run(4 * MINUTE)).toBe(0);
});

test('changes are verified once, however many runs follow', async () => {
  const ada = newUser('Ada');
  await write(undefined, ada);
  await finishPass();
  await run(4 * MINUTE);
  await run(5 * MINUTE);
  await removeEntries([ada]);
  expect(await run(6 * MINUTE)).toBe(0);
});

test('a pass over all users and entries ends, and the next begins a day after it began', async () => {
  await finishPass();
  const [damaged] = others as [User];
  await removeEntries([damaged]);
  for (let runs = 0; runs < RUNS; runs++) expect(await run(23 * HOUR)).toBe(0);
  let repaired = 0;
  for (let runs = 0; runs < RUNS; runs++) repaired += await run(25 * HOUR);
  expect(repaired).toBe(createEntries(damaged).length);
});

test('posts and other items do not slow the pass down', async () => {
  const posts = Array.from({ length: 200 }, (_, at) => ({ pk: 'USER#01890000', sk: `POST#${at}`, title: 'x' }));
  await putItems(posts);
  const damaged = others;
  await removeEntries(damaged);
  let repaired = 0;
  for (let runs = 0; runs < RUNS; runs++) repaired += await run(0);
  expect(repaired).toBe(damaged.flatMap(createEntries).length);
});
