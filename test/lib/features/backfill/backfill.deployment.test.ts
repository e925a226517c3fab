import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';

const plain = { nickname: { type: 'string' } } as const;
const complete = { nickname: { type: 'string', unique: true, search: true } } as const;

/** Only `after` declares the field with `unique` and `search`. */
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
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function addMany(count: number, text: string): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await before.add({ nickname: `${text}${at}` }));
  return ids;
}

/** Ignores page counts: runs with a fast clock also index users who are deleted before that time. */
async function expectComplete(deployed = after): Promise<void> {
  const { 'page count that differs': _, ...found } = (await deployed.checkTable()).found;
  expect(found).toEqual({});
}

test('a backfill adds the claims and entries of a field that becomes unique and searchable', async () => {
  await before.run();
  expect(console.info).not.toHaveBeenCalled();
  const [ada, bob] = [await before.add({ nickname: 'countess' }), await before.add()];
  expect(await after.find({ nickname: 'countess' })).toEqual([]);
  expect(await after.find({ q: 'countess' })).toEqual([]);
  const version = (await before.readItem(ada))?.version;
  const fields = {
    ...{ unique: ['nickname'], search: [{ name: 'nickname', texts: 20 }], domains: true, textVersion: 2 },
    lists: { name: 'string, text version 2' },
  };
  const counts = { users: 2, rewritten: 1, duplicates: 0 };
  const { backfill } = await after.run();
  expect(backfill).toEqual({
    ...{ ...fields, ...counts, formerUnique: [], foreignWrites: {}, revision: 4, scannedUpTo: bob },
    ...{ startedAt: expect.any(String), endedAt: expect.any(String) },
    completeFrom: { name: expect.any(String) },
    completeClaims: expect.any(Array),
  });
  const logged = vi.mocked(console.info).mock.calls.filter(([{ event }]) => event.startsWith('backfill'));
  expect(logged).toEqual([[{ event: 'backfill started', ...fields }], [{ event: 'backfill ended', ...backfill }]]);
  expect(await after.find({ nickname: 'Countess' })).toEqual([ada]);
  expect(await after.find({ q: 'countess' })).toEqual([ada]);
  expect((await after.readItem(ada))?.version).toBe(version);
  expect((await after.create({ nickname: 'COUNTESS' })).status).toBe(409);
  expect(await after.checkTable()).toMatchObject({ found: {}, backfill: { ...fields, ...counts } });
  expect((await after.run()).backfill).toBeUndefined();
});

test('a backfill deletes domain entries when the setting is off, and restores them when it is on', async () => {
  const id = await before.add();
  await before.run();
  expect(await before.find({ q: '@example.org' })).toEqual([id]);
  vi.stubEnv('DOMAIN_SEARCH', 'off');
  const without = await deploy(plain);
  expect((await without.run()).backfill).toMatchObject({ domains: false, rewritten: 1 });
  expect(await without.findItems('search#@')).toEqual([]);
  await expectComplete(without);
  vi.stubEnv('DOMAIN_SEARCH', 'on');
  expect((await before.run()).backfill).toMatchObject({ domains: true, rewritten: 1 });
  expect(await before.find({ q: '@example.org' })).toEqual([id]);
  await expectComplete(before);
});

test('a backfill deletes the claims and entries of a field that is no longer unique and searchable', async () => {
  const id = await after.add({ nickname: 'countess' });
  await after.run();
  const { backfill } = await before.run();
  expect(backfill).toMatchObject({ formerUnique: ['nickname'], rewritten: 1 });
  expect(await after.find({ nickname: 'countess' })).toEqual([]);
  expect(await after.find({ q: 'countess' })).toEqual([]);
  expect(await before.get(id)).toMatchObject({ nickname: 'countess' });
  await expectComplete(before);
});

test('a backfill deletes the entries that a search field loses to another declaration', async () => {
  const motto = { type: 'string', search: true } as const;
  const alone = await deploy({ motto });
  const words = 'alpha beta gamma delta epsilon zeta eta';
  const id = await alone.add({ motto: words });
  await alone.run();
  const beside = await deploy({ motto, tags: { type: 'string', list: true, filter: true } });
  expect(await beside.checkTable()).toMatchObject({ hasOtherFields: true });
  await expect(beside.checkTable('counts')).rejects.toThrow('The service declares motto as unique, search');
  expect((await beside.run()).backfill).toMatchObject({ search: [{ name: 'motto', texts: 5 }], rewritten: 1 });
  expect(await beside.find({ q: 'epsilon' })).toEqual([id]);
  for (const { find } of [alone, beside]) expect(await find({ q: 'zeta' })).toEqual([]);
  await expectComplete(beside);
  expect((await alone.run()).backfill).toMatchObject({ search: [{ name: 'motto', texts: 20 }], rewritten: 1 });
  expect(await alone.find({ q: 'zeta' })).toEqual([id]);
  await expectComplete(alone);
});

test('a service without declarations also ends its backfill', async () => {
  await before.add({ nickname: 'countess' });
  expect((await before.run()).backfill).toMatchObject({ unique: [], search: [], users: 1, rewritten: 0 });
  expect((await before.run()).backfill).toBeUndefined();
});

test('of users with one value, the oldest gets the claim, and duplicates are reported and stay writable', async () => {
  const ids: string[] = [];
  for (const nickname of ['twin', 'Twin', 'TWIN']) ids.push(await before.add({ nickname }));
  const [oldest = '', second = '', third = ''] = ids;
  const { backfill } = await after.run();
  expect(backfill).toMatchObject({ users: 3, rewritten: 3, duplicates: 2 });
  const duplicates = [second, third].map((userId) => ({ field: 'nickname', userId, ownerId: oldest }));
  expect(warnings).toEqual([[{ event: 'duplicate values', duplicates }]]);
  expect(JSON.stringify(warnings)).not.toMatch(/twin/i);
  const inAnyOrder = expect.toSatisfy((found) => isDeepStrictEqual(new Set(found), new Set(duplicates)));
  expect(await after.checkTable()).toMatchObject({ found: {}, duplicates: inAnyOrder });
  expect(await after.checkTable('counts')).toMatchObject({ duplicates: inAnyOrder, repaired: 0 });

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

test('a claim moves from a newer user to the oldest one with the value, and all keep the value', async () => {
  const older = await before.add({ nickname: 'twin' });
  // A newer user can get the same value, because the older user has no claim until the backfill.
  const newer = await after.add({ nickname: 'twin' });
  expect(await after.find({ nickname: 'twin' })).toEqual([newer]);
  const newest = await before.add({ nickname: 'twin' });
  expect(await after.run()).toMatchObject({ backfill: { duplicates: 2 } });
  const duplicates = [newer, newest].map((userId) => ({ field: 'nickname', userId, ownerId: older }));
  expect(warnings).toEqual([[{ event: 'duplicate values', duplicates }]]);
  expect(await after.find({ nickname: 'twin' })).toEqual([older]);
  expect(await after.get(newer)).toMatchObject({ nickname: 'twin' });
  expect((await after.update(newer, { nickname: null })).status).toBe(200);
  expect(await after.find({ nickname: 'twin' })).toEqual([older]);
  await expectComplete();
});

test('when the older of two users gives up the value, the newer one gets the claim with its next change', async () => {
  const [older, newer] = [await before.add({ nickname: 'twin' }), await before.add({ nickname: 'twin' })];
  await after.run();
  await after.update(older, { nickname: 'other' });
  expect(await after.find({ nickname: 'twin' })).toEqual([]);
  await after.update(newer, { name: 'Twin' });
  expect(await after.find({ nickname: 'twin' })).toEqual([newer]);
  await expectComplete();
});

test('after a backfill, on-change completes writes of old code at once', async () => {
  const [claimed, old] = [await after.add({ nickname: 'first' }), await before.add()];
  await after.run();
  for (const [id, nickname] of [
    [claimed, 'changed'],
    [old, 'countess'],
  ] as const) {
    const item = await before.readItem(id);
    await before.writeOnly('update', id, { nickname });
    await after.consume(id, item);
  }
  const late = await before.writeOnly('create', '', { nickname: 'late' });
  await after.consume(late, undefined);
  for (const [nickname, id] of Object.entries({ changed: claimed, countess: old, late })) {
    expect(await after.find({ nickname })).toEqual([id]);
    expect(await after.find({ q: nickname })).toEqual([id]);
  }
  expect(await after.find({ q: 'first' })).toEqual([]);
  expect((await after.create({ nickname: 'first' })).status).toBe(201);
  await expectComplete();
});

test('before a backfill, on-change of new code changes no user', async () => {
  const id = await before.writeOnly('create', '', { nickname: 'early' });
  await after.consume(id, undefined);
  expect(await after.find({ nickname: 'early' })).toEqual([]);
  await after.run();
  expect(await after.find({ nickname: 'early' })).toEqual([id]);
});

test('old code keeps the claims of new code while the user has the value', async () => {
  const id = await after.add({ nickname: 'kept' });
  await before.update(id, { name: 'Renamed' });
  expect(await after.find({ nickname: 'kept' })).toEqual([id]);
  expect((await after.create({ nickname: 'kept' })).status).toBe(409);
});

// A rewrite keeps the version. Only `derived` changes.
test('a change based on a read before a rewrite deletes the items that the rewrite added', async () => {
  const id = await before.add({ nickname: 'countess' });
  const update = () => before.patch(id, { nickname: 'baroness' }, {});
  expect(await before.interrupt(update, 1, () => after.run())).toBe(true);
  expect((await before.readItem(id))?.version).toBe(2);
  expect(await before.findItems('unique#nickname#', '"search#co"', '"search#ba"')).toEqual([]);
  await expectComplete(before);
});

test("a rewrite based on a read before another release's rewrite deletes its items", async () => {
  const other = await deploy({ ...plain, motto: { type: 'string', search: true } });
  for (let at = 0, isInterrupted = true; isInterrupted; at++) {
    await other.clearTable();
    const id = await other.writeOnly('create', '', { nickname: 'countess', motto: 'veni vidi' });
    await before.writeOnly('update', id, { name: 'Ada' });
    isInterrupted = await after.interrupt(
      () => after.backfillParts(1),
      at,
      () => other.backfillParts(1),
    );
    await after.run();
    await expectComplete();
  }
});

test('on-change deletes the derived items of a user deleted by hand', async () => {
  const id = await after.add({ nickname: 'gone', name: 'Gone By Hand' });
  const item = await after.readItem(id);
  await after.removeByHand(id);
  await after.consume(id, item);
  const left = (await after.findItems('gone')).filter((key) => !key.startsWith('CHANGES#'));
  expect(left).toEqual([]);
});

test('a user deleted by hand loses all derived items in two transactions, except a claim that another user took', async () => {
  const id = await after.add({ nickname: 'taken', name: 'Gone By Hand' });
  const item = await after.readItem(id);
  await after.removeByHand(id);
  const other = await after.add({ nickname: 'taken', name: 'Other' });
  const { table } = await import('../../../../lib/dynamodb/client.ts');
  const { deleteLeftItems } = await import('../../../../lib/features/backfill/rewrite.ts');
  const send = vi.spyOn(table, 'send');
  await deleteLeftItems(id, item?.derived as string[]);
  const writes = send.mock.calls.filter(([command]) => command.constructor.name === 'TransactWriteCommand');
  send.mockRestore();
  expect(writes).toHaveLength(2);
  const left = (await after.findItems(id)).filter((key) => !key.startsWith('CHANGES#'));
  expect(left).toEqual([]);
  expect(await after.findItems(other)).toContain('UNIQUE#nickname#taken UNIQUE');
});

test('a late deletion by hand deletes no entries that another release has written for the user since', async () => {
  const id = await after.add({ nickname: 'back' });
  const item = await after.readItem(id);
  await after.removeByHand(id);
  await after.putByHand(item ?? {});
  await deploy(plain);
  const { deleteLeftItems } = await import('../../../../lib/features/backfill/rewrite.ts');
  await deleteLeftItems(id, item?.derived as string[]);
  expect((await after.checkTable()).found).toEqual({});
});

test('a backfill continues after a run that ran out of time', async () => {
  const ids = await addMany(7, 'nick');
  after.sizes.batchGet = 3;
  const run = () => after.backfillParts(1);
  expect(await run()).toMatchObject({ users: 3, rewritten: 3, scannedUpTo: ids[2] });
  expect((await after.checkTable()).backfill).toMatchObject({ users: 3 });
  expect((await run())?.endedAt).toBeUndefined();
  expect(await run()).toMatchObject({ users: 7, rewritten: 7, endedAt: expect.any(String) });
  await expectComplete();
});

test('of parallel runs, one processes all users', async () => {
  await addMany(7, 'nick');
  after.sizes.batchGet = 2;
  const runs = await Promise.all(Array.from({ length: 3 }, () => after.run()));
  expect(runs.filter(({ backfill }) => backfill?.endedAt)).toHaveLength(1);
  expect((await after.checkTable()).backfill).toMatchObject({ users: 7, duplicates: 0, endedAt: expect.any(String) });
  await expectComplete();
});

test('a new declaration during a backfill starts another backfill', async () => {
  await addMany(3, 'nick');
  const unique = await deploy({ nickname: { type: 'string', unique: true } });
  unique.sizes.batchGet = 2;
  await unique.backfillParts(1);
  expect(await after.run()).toMatchObject({ backfill: { users: 3 } });
  await expectComplete();
});
