import { beforeEach, expect, test, vi } from 'vitest';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';

/** Only `after` declares the field with `unique` and `search`. */
let before: Deployed;
let after: Deployed;

beforeEach(async () => {
  before = await deploy({ nickname: { type: 'string' } });
  after = await deploy({ nickname: { type: 'string', unique: true, search: true } });
  await before.clearTable();
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  return () => vi.restoreAllMocks();
});

test.each([
  ['is lost', false],
  ['is done, and its answer lost', true],
])('a run that dies at any write, which %s, is continued by the next run', async (_, isWritten) => {
  after.sizes.batchGet = 2;
  for (const nickname of ['one', 'twin', 'twin']) await before.add({ nickname });
  // A newer user has the claim.
  await after.add({ nickname: 'twin' });
  const start = await after.readTable();
  const run = () => Array.fromAsync(after.backfill());
  let crashes = 0;
  for (let write = 0; ; write++) {
    await after.fillTable(start);
    if (!(await after.crash(run, write, isWritten))) break;
    crashes++;
    await run();
    const { found, backfill, duplicates } = await after.checkTable();
    expect(duplicates).toHaveLength(2);
    expect({ write, found, backfill }).toMatchObject({
      ...{ write, found: {} },
      backfill: { users: 4, endedAt: expect.any(String) },
    });
  }
  expect(crashes).toBeGreaterThan(5);
});

/** Runs `write` at each moment of a backfill in turn, on the same table. Yields the moment after the next backfill. */
async function* interruptBackfill(write: () => Promise<unknown>): AsyncGenerator<number> {
  const start = await after.readTable();
  let moments = 0;
  for (let isInterrupted = true; isInterrupted; moments++) {
    await after.fillTable(start);
    isInterrupted = await after.interrupt(() => Array.fromAsync(after.backfill()), moments, write);
    await after.run(4);
    yield moments;
  }
  expect(moments).toBeGreaterThan(5);
}

test.each<[string, (id: string) => Promise<unknown>]>([
  ['changed by new code', (id) => after.update(id, { nickname: 'other' })],
  ['changed by old code', (id) => before.update(id, { nickname: 'other' })],
  ['deleted', (id) => after.remove(id)],
  ['followed by one with the same value', () => after.add({ nickname: 'countess' })],
])('a user who is %s at any moment of a backfill keeps no wrong claim or entry', async (_, write) => {
  const id = await before.add({ nickname: 'countess' });
  for await (const moments of interruptBackfill(() => write(id))) {
    const { found, duplicates } = await after.checkTable();
    const wrong = Object.keys(found).filter((kind) => kind !== 'page count that differs');
    expect({ moments, wrong }).toEqual({ moments, wrong: [] });
    for (const { ownerId } of duplicates) expect(ownerId).toBe(id);
  }
});

test.each<[string, (older: string, newer: string) => Promise<unknown>]>([
  ['the newer one changes', (_, newer) => after.update(newer, { name: 'Other' })],
  ['the newer one gives up the value', (_, newer) => after.update(newer, { nickname: 'other' })],
  ['the newer one is deleted', (_, newer) => after.remove(newer)],
  ['the older one changes', (older) => after.update(older, { name: 'Other' })],
  ['another backfill runs', () => after.backfillParts(1)],
])('the older of two users gets the claim of the newer one, and %s at any moment', async (_, write) => {
  const [older, newer] = [await before.add({ nickname: 'twin' }), await after.add({ nickname: 'twin' })];
  for await (const moments of interruptBackfill(() => write(older, newer))) {
    const { 'page count that differs': _, ...found } = (await after.checkTable()).found;
    expect({ moments, found, owner: await after.find({ nickname: 'twin' }) }).toEqual({
      ...{ moments, found: {}, owner: [older] },
    });
  }
});

test.each<[string, (listing: Deployed, other: Deployed) => [earlier: Deployed, later: Deployed]]>([
  ['that adds its entries', (listing, other) => [other, listing]],
  ['that deletes its entries', (listing, other) => [listing, other]],
])('at any moment of a backfill %s, a list reported as complete has all users', async (_, order) => {
  const listing = await deploy({ nickname: { type: 'string', maxLength: 20, filter: true } });
  const [earlier, later] = order(listing, before);
  earlier.sizes.batchGet = later.sizes.batchGet = 2;
  await earlier.run();
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) ids.push(await earlier.add({ nickname: 'twin' }));
  const start = await earlier.readTable();
  const pk = 'LIST#nickname=twin';
  const shown: string[] = [];
  // Reads the list before asking whether it is complete: a complete list must have been so when it was read.
  const check = async () => {
    const listed = await listing.readList(pk);
    if (!(await listing.isListComplete(pk))) shown.push('incomplete');
    else shown.push(listed.length === ids.length ? 'all' : `${listed.length} of ${ids.length}`);
  };
  let isInterrupted = true;
  for (let moment = 0; isInterrupted; moment++) {
    await later.fillTable(start);
    isInterrupted = await later.interrupt(() => Array.fromAsync(later.backfill()), moment, check);
  }
  expect(new Set(shown)).toEqual(new Set(later === listing ? ['incomplete'] : ['all', 'incomplete']));
});
