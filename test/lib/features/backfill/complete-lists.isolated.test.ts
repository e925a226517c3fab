import { beforeEach, expect, test, vi } from 'vitest';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';

const plan = { type: 'string', enum: ['free', 'pro'] } as const;

/** Only `after` declares the field plan with `filter`. */
let before: Deployed;
let after: Deployed;

beforeEach(async () => {
  before = await deploy({ plan, seats: { type: 'integer', sort: true } });
  after = await deploy({ plan: { ...plan, filter: true }, seats: { type: 'integer', sort: true } });
  await before.clearTable();
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  return () => vi.restoreAllMocks();
});

const wait = (deployed: Deployed, seconds: number) => {
  const now = deployed.environment.now();
  deployed.environment.now = () => now + seconds * 1000;
};

const [PRO, FREE, SEATS, NAME] = ['LIST#plan=pro', 'LIST#plan=free', 'LIST#seats', 'LIST#name'];

test('lists of an empty table are complete at once and stay complete', async () => {
  expect(await after.isListComplete(PRO)).toBe(true);
  await after.run();
  expect(await after.isListComplete(PRO)).toBe(true);
  const id = await after.add({ plan: 'pro' });
  expect(await after.readList(PRO)).toEqual([id]);
  expect(await after.isListComplete(PRO)).toBe(true);
  expect(await after.isListComplete('LIST#other=1')).toBe(false);
});

test('lists are complete before and during the first backfill, because one release has written all users', async () => {
  for (let count = 0; count < 3; count++) await after.add();
  after.sizes.batchGet = 2;
  expect(await after.isListComplete(NAME)).toBe(true);
  await after.backfillParts(1);
  expect((await after.checkTable()).backfill).toMatchObject({ users: 2 });
  expect((await after.checkTable()).backfill).not.toHaveProperty('endedAt');
  expect(await after.isListComplete(NAME)).toBe(true);
  // The clock of another environment may be behind.
  wait(after, -1);
  expect(await after.isListComplete(NAME)).toBe(true);
});

test('a field that becomes a filter is complete after the backfill, and other lists stay complete', async () => {
  await before.run();
  const ids = [
    await before.add({ plan: 'pro' }),
    await before.add({ plan: 'free' }),
    await before.add({ plan: 'pro' }),
  ];
  after.sizes.batchGet = 2;
  const check = async () => [
    await after.isListComplete(PRO),
    ...(await Promise.all([after, before].flatMap((each) => [SEATS, NAME].map((pk) => each.isListComplete(pk))))),
  ];
  expect(await check()).toEqual([false, true, true, true, true]);
  await after.backfillParts(1);
  expect(await check()).toEqual([false, true, true, true, true]);
  expect((await after.checkTable()).backfill).toMatchObject({ users: 2 });
  await after.backfillParts(9);
  // The list is incomplete for some more seconds, because eventually consistent queries may lack the last entries.
  expect(await check()).toEqual([false, true, true, true, true]);
  wait(after, 6);
  expect(await check()).toEqual([true, true, true, true, true]);
  expect(await after.readList(PRO)).toEqual([ids[0], ids[2]]);
  expect((await after.checkTable()).found).toEqual({});
});

test('while a backfill completes a list, 503 names the list and asks for a retry in a minute', async () => {
  const byTeam = await deploy({ plan: { ...plan, filter: true }, seats: { type: 'integer', sort: true, default: 1 } });
  await before.run();
  await before.add({ plan: 'pro' });
  const { bare } = await import('../../rest/client.ts');
  const { execute } = await import('../../graphql/client.ts');
  const headers = { prefer: 'count=exact' };
  const filtered = 'The list filtered by plan is being completed; please try again in a minute';
  const sorted = 'The list sorted by seats is being completed; please try again in a minute';
  const rejectWith = (error: string) => ({ status: 503, headers: { 'retry-after': '60' }, json: { error } });
  expect(await bare.list({ plan: 'pro' })).toMatchObject(rejectWith(filtered));
  expect(await bare.list({ sort: 'seats' })).toMatchObject(rejectWith(sorted));
  // The list by name is complete, but the count needs the list of the filter.
  expect(await bare.list({ plan: 'pro', sort: 'name' })).toMatchObject({ status: 200, json: [{ plan: 'pro' }] });
  expect(await bare.list({ plan: 'pro', sort: 'name' }, headers)).toMatchObject(rejectWith(filtered));
  const graphqlError = (message: string) => ({
    errors: [{ message, extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 60 } }],
  });
  const users = (args: string) => execute(`{ users(${args}) { totalCount edges { node { name } } } }`);
  expect(await users('sort: seats')).toMatchObject(graphqlError(sorted));
  expect(await users('filter: { plan: "pro" }')).toMatchObject(graphqlError(filtered));
  expect(await users('filter: { plan: "pro" }, sort: name')).toMatchObject(graphqlError(filtered));
  await byTeam.run();
  wait(byTeam, 6);
  const counted = await bare.list({ plan: 'pro', sort: 'name' }, headers);
  expect(counted).toMatchObject({ status: 200, headers: { 'x-total-count': '1' } });
});

test('a changed default moves users to another list, which is incomplete until the backfill', async () => {
  const create = (value: string) => deploy({ plan: { ...plan, filter: true, default: value } });
  const [free, pro] = [await create('free'), await create('pro')];
  await free.run();
  const id = await free.add();
  expect(await free.readList(FREE)).toEqual([id]);
  expect(await pro.isListComplete(PRO)).toBe(false);
  await pro.run();
  wait(pro, 6);
  expect(await pro.isListComplete(PRO)).toBe(true);
  expect(await free.isListComplete(FREE)).toBe(false);
  expect([await pro.readList(FREE), await pro.readList(PRO)]).toEqual([[], [id]]);
});

test('after a write by the former release, lists are incomplete until two quiet minutes have passed', async () => {
  await after.run();
  const id = await after.add({ plan: 'pro' });
  const item = await after.readItem(id);
  await before.writeOnly('update', id, { name: 'Renamed' });
  expect(await after.readList(PRO)).toEqual([]);
  await after.consume(id, item);
  expect(await after.readList(PRO)).toEqual([id]);
  expect(await after.isListComplete(PRO)).toBe(false);
  // The list by name stays complete, because both releases write its entries.
  expect(await after.isListComplete(NAME)).toBe(true);
  wait(after, 100);
  const late = await before.writeOnly('create', '', { plan: 'pro' });
  await after.consume(late, undefined);
  wait(after, 100);
  expect(await after.isListComplete(PRO)).toBe(false);
  wait(after, 21);
  expect(await after.isListComplete(PRO)).toBe(true);
  expect(await after.readList(PRO)).toEqual([id, late]);
});

test('a change by hand, corrected by on-change, leaves lists complete', async () => {
  await after.run();
  const id = await after.add({ plan: 'pro' });
  const item = await after.readItem(id);
  await after.putByHand({ ...item, fields: { plan: 'free' } });
  await after.consume(id, item);
  expect([await after.readList(PRO), await after.readList(FREE)]).toEqual([[], [id]]);
  expect(await after.isListComplete(FREE)).toBe(true);
});

test.each<[string, () => Promise<unknown>]>([
  [
    'before the backfill of the former release',
    async () => before.consume(await before.writeOnly('create', '', { plan: 'pro' }), undefined),
  ],
  ['after the backfill of the former release', () => before.run()],
])('after a rollback %s and a redeploy, the list is incomplete until another backfill', async (_, rollBack) => {
  await after.run();
  const id = await after.add({ plan: 'pro' });
  await rollBack();
  expect(await after.isListComplete(PRO)).toBe(false);
  expect(await before.isListComplete(NAME)).toBe(true);
  await after.run();
  wait(after, 6);
  expect(await after.isListComplete(PRO)).toBe(true);
  expect((await after.readList(PRO))[0]).toBe(id);
  expect((await after.checkTable()).found).toEqual({});
});

test('sorting by name can be turned off, which deletes its entries, and on again', async () => {
  await after.run();
  const id = await after.add();
  vi.stubEnv('SORT_BY_NAME', 'off');
  const without = await deploy({ plan: { ...plan, filter: true } });
  vi.unstubAllEnvs();
  expect(await without.isListComplete(NAME)).toBe(false);
  await without.run();
  expect(await without.readList(NAME)).toEqual([]);
  expect(await without.isListComplete(PRO)).toBe(true);
  expect(await after.isListComplete(NAME)).toBe(false);
  await after.run();
  wait(after, 6);
  expect(await after.readList(NAME)).toEqual([id]);
  expect(await after.isListComplete(NAME)).toBe(true);
});
