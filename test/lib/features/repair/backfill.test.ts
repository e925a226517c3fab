import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Deployed, deploy } from '../own-fields/deploy.ts';

const plain = { nickname: { type: 'string' } } as const;
const complete = { nickname: { type: 'string', unique: true, search: true } } as const;

/** The service as it is before the field becomes unique and searchable, and afterwards. */
let before: Deployed;
let after: Deployed;
let warnings: unknown[];

beforeEach(async () => {
  before = await deploy(plain);
  after = await deploy(complete);
  await before.clearTable();
  warnings = vi.spyOn(console, 'warn').mockReturnValue().mock.calls;
  vi.spyOn(console, 'info').mockReturnValue();
});
afterEach(() => void vi.restoreAllMocks());

/** Adds users with the nicknames `text0`, `text1` … */
async function addMany(count: number, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await before.add({ nickname: `${text}${at}` }));
  return ids;
}

/** Expects every claim and entry. The clock of some runs is ahead, so the page index counts users who were then deleted. */
async function expectComplete(): Promise<void> {
  const { 'page count that differs': _, ...found } = (await after.checkTable()).found;
  expect(found).toEqual({});
}

test('users get the claims and entries of a field that becomes unique and searchable', async () => {
  const [ada, bob] = [await before.add({ nickname: 'countess' }), await before.add()];
  expect(await after.find({ nickname: 'countess' })).toEqual([]);
  expect(await after.find({ q: 'countess' })).toEqual([]);
  const counts = { users: 2, claims: 1, entries: 1, duplicates: 0 };
  const fields = { unique: ['nickname'], search: ['nickname'] };
  const { backfill } = await after.run();
  expect(backfill).toEqual({
    ...{ ...fields, ...counts, revision: 1, scannedUpTo: bob },
    former: { unique: [], search: [] },
    ...{ startedAt: expect.any(String), endedAt: expect.any(String) },
  });
  const logged = vi.mocked(console.info).mock.calls.filter(([{ event }]) => event.startsWith('backfill'));
  expect(logged).toEqual([[{ event: 'backfill started', ...fields }], [{ event: 'backfill ended', ...backfill }]]);
  expect(await after.find({ nickname: 'Countess' })).toEqual([ada]);
  expect(await after.find({ q: 'countess' })).toEqual([ada]);
  expect((await after.create({ nickname: 'COUNTESS' })).status).toBe(409);
  expect(await after.checkTable()).toMatchObject({ found: {}, backfill: { ...fields, ...counts } });
  expect((await after.run()).backfill).toBeUndefined();
});

test('without unique and search fields, before and after, there is no backfill', async () => {
  await before.add({ nickname: 'countess' });
  expect((await before.run()).backfill).toBeUndefined();
  expect((await before.checkTable()).backfill).toBeUndefined();
});

test('the oldest of users with one value gets the claim; all stay readable and writable, and are reported', async () => {
  const ids: string[] = [];
  for (const nickname of ['twin', 'Twin', 'TWIN']) ids.push(await before.add({ nickname }));
  const [oldest = '', second = '', third = ''] = ids;
  const { backfill } = await after.run();
  expect(backfill).toMatchObject({ users: 3, claims: 1, duplicates: 2 });
  const duplicates = [second, third].map((userId) => ({ field: 'nickname', userId, ownerId: oldest }));
  expect(warnings).toEqual([[{ event: 'duplicate values', duplicates }]]);
  expect(JSON.stringify(warnings)).not.toMatch(/twin/i);
  // A scan reads users in any order.
  const inAnyOrder = expect.toSatisfy((found) => isDeepStrictEqual(new Set(found), new Set(duplicates)));
  expect(await after.checkTable()).toMatchObject({ found: { 'duplicate value': 2 }, duplicates: inAnyOrder });
  expect(await after.checkTable('counts')).toMatchObject({ duplicates: inAnyOrder, repaired: 0 });
  // The verification of changes, and that of all users in turn, report them, too.
  expect(await after.run(4)).toMatchObject({ claimRepairs: 0, duplicates: [...duplicates, ...duplicates] });

  expect(await after.find({ nickname: 'twin' })).toEqual([oldest]);
  expect(await after.get(third)).toMatchObject({ nickname: 'TWIN' });
  expect((await after.update(second, { name: 'Two' })).json).toMatchObject({ nickname: 'Twin' });
  expect((await after.update(second, { nickname: 'other' })).status).toBe(200);
  expect(await after.find({ nickname: 'twin' })).toEqual([oldest]);
  expect((await after.update(second, { nickname: 'twin' })).status).toBe(409);
  await after.remove(third);
  expect(await after.find({ nickname: 'twin' })).toEqual([oldest]);
  await expectComplete();
});

test('a claim moves from a newer user to an older one with the value, and both keep it', async () => {
  const older = await before.add({ nickname: 'twin' });
  // It is free until the backfill.
  const newer = await after.add({ nickname: 'twin' });
  expect(await after.find({ nickname: 'twin' })).toEqual([newer]);
  expect(await after.run()).toMatchObject({ backfill: { claims: 1, duplicates: 1 } });
  expect(await after.find({ nickname: 'twin' })).toEqual([older]);
  expect(await after.get(newer)).toMatchObject({ nickname: 'twin' });
  expect((await after.update(newer, { nickname: null })).status).toBe(200);
  expect(await after.find({ nickname: 'twin' })).toEqual([older]);
});

test('when the older of two users gives the value up, the newer one gets the claim after its next change', async () => {
  const [older, newer] = [await before.add({ nickname: 'twin' }), await before.add({ nickname: 'twin' })];
  await after.run();
  // This verifies what was written until now: all users in turn, which is done once a day, and the changes.
  await after.run(4);
  await after.update(older, { nickname: 'other' });
  await after.run(5);
  expect(await after.find({ nickname: 'twin' })).toEqual([]);
  await after.update(newer, { name: 'Twin' });
  await after.run(6);
  expect(await after.find({ nickname: 'twin' })).toEqual([newer]);
  await expectComplete();
});

test('what old code writes while a deploy runs is completed minutes later', async () => {
  const [claimed, old] = [await after.add({ nickname: 'first' }), await before.add()];
  // These verify what was written until now: all users in turn, which is done once a day, and the changes.
  await after.run();
  await after.run(4);
  await before.update(claimed, { nickname: 'changed' });
  await before.update(old, { nickname: 'countess' });
  const late = await before.add({ nickname: 'late' });
  expect(await after.run(1)).toMatchObject({ claimRepairs: 0 });
  expect(await after.run(5)).toMatchObject({ claimRepairs: 3, searchRepairs: 4 });
  for (const [nickname, id] of Object.entries({ changed: claimed, countess: old, late })) {
    expect(await after.find({ nickname })).toEqual([id]);
    expect(await after.find({ q: nickname })).toEqual([id]);
  }
  expect(await after.find({ q: 'first' })).toEqual([]);
  expect((await after.create({ nickname: 'first' })).status).toBe(201);
});

test('users are verified in turn: a claim that is missing, of the email too, is made', async () => {
  const id = await after.add({ nickname: 'ada', email: 'ada.missing@example.org' });
  await after.run();
  await after.removeClaims(id);
  // The pass of the first run verified nothing but this user.
  expect(await after.run(26 * 60)).toMatchObject({ claimRepairs: 2 });
  expect(await after.find({ email: 'ada.missing@example.org' })).toEqual([id]);
  await expectComplete();
});

test('a backfill continues where the time of a run ended', async () => {
  const ids = await addMany(7, 'nick');
  after.sizes.batchGet = 3;
  const run = () => after.backfillParts(1);
  expect(await run()).toMatchObject({ users: 3, claims: 3, entries: 3, scannedUpTo: ids[2] });
  expect((await after.checkTable()).backfill).toMatchObject({ users: 3 });
  expect((await run())?.endedAt).toBeUndefined();
  expect(await run()).toMatchObject({ users: 7, claims: 7, entries: 7, endedAt: expect.any(String) });
  await expectComplete();
});

test('of runs at the same time one goes through all users', async () => {
  await addMany(7, 'nick');
  after.sizes.batchGet = 2;
  const runs = await Promise.all(Array.from({ length: 3 }, () => after.run()));
  expect(runs.filter(({ backfill }) => backfill?.endedAt)).toHaveLength(1);
  expect((await after.checkTable()).backfill).toMatchObject({ users: 7, duplicates: 0, endedAt: expect.any(String) });
  await expectComplete();
});

test('a new declaration during a backfill starts another one', async () => {
  await addMany(3, 'nick');
  const unique = await deploy({ nickname: { type: 'string', unique: true } });
  unique.sizes.batchGet = 2;
  await unique.backfillParts(1);
  expect(await after.run()).toMatchObject({ backfill: { users: 3, claims: 1, entries: 3 } });
  await expectComplete();
});
