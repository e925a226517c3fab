import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

const { tableSource } = await import('../../../../infra/scripts/transfer/table-source.ts');
const { deleteUsers } = await import('../../../../infra/scripts/transfer/deletions.ts');
const { Pace } = await import('../../../../infra/transfer/pace.ts');
const { deleteItems } = await import('../../../../lib/dynamodb/batch.ts');
const { TableName, table } = await import('../../../../lib/dynamodb/client.ts');
const { deletionKey, userKey } = await import('../../../../lib/dynamodb/keys.ts');
const { environment } = await import('../../../../lib/environment.ts');
const { erasureJob } = await import('../../../../lib/features/erasure/job.ts');
const { runJobs } = await import('../../../../lib/maintenance/run.ts');
const { returnUsers } = await import('../../../../lib/users/return.ts');
const { fetchData, getErrorCode, mutate } = await import('../../graphql/client.ts');
const { findItem, logChange, logWrite } = await import('../../on-change/log-write.ts');

const { now } = environment;
const passTime = (ms: number) => {
  const later = environment.now() + ms;
  environment.now = () => later;
};
afterEach(() => {
  environment.now = now;
  vi.unstubAllEnvs();
  table.middlewareStack.remove('fail');
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Words without digits: ids and times contain none of them. */
const newWord = () => `q${crypto.randomUUID().replaceAll(/[\d-]/g, '')}`;

type Person = { name: string; email: string; sub?: string };

const newPerson = (): Required<Person> => {
  const word = newWord();
  return { name: `Ada ${word}`, email: `${word}@example.org`, sub: `auth0|${crypto.randomUUID()}` };
};

async function create(person: Person): Promise<string> {
  const { payload, text } = await mutate('createUser', person);
  if (!payload) throw new Error(text);
  await logChange(undefined, await findItem(userKey(payload.user.id)));
  return payload.user.id;
}

async function createDeleted(person: Person): Promise<string> {
  const id = await create(person);
  await logWrite(userKey(id), () => mutate('deleteUser', { id }));
  return id;
}

const erase = (id: string, input: object = {}) =>
  mutate('deleteUser', { id, erase: true, ...input }, { caller: 'ann' });

/** One run empties the change log, the next one completes the erasure. */
async function completeErasures(): Promise<void> {
  passTime(6 * MINUTE);
  for (let run = 0; run < 2; run++) await runJobs([erasureJob], () => true);
}

type Erasure = { by: string; completedAt: string | null; earlierRecords: string[]; sameAddress: string[] };

const findErasure = async (id: string) =>
  (
    await fetchData<{ erasure: Erasure | null }>(
      'query ($id: ID!) { erasure(id: $id) { by completedAt earlierRecords sameAddress } }',
      { id },
    )
  ).erasure;

const readHistory = async (id: string) =>
  (
    await fetchData<{ userHistory: { earlierRecords: string[]; nodes: { before: object | null }[] } }>(
      'query ($id: ID!) { userHistory(id: $id) { earlierRecords nodes { before { name } after { name } } } }',
      { id },
    )
  ).userHistory;

const restore = (id: string) => mutate('restoreUser', { id });

async function listItems(text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    for (const item of Items)
      if (JSON.stringify(item).toLowerCase().includes(text.toLowerCase())) found.push(`${item.pk} ${item.sk}`);
  return found;
}

async function findHoursLeft(name: string): Promise<number> {
  const [pk = '', sk = ''] = name.split(' ');
  const { expiresAt } = (await findItem({ pk, sk })) ?? {};
  return (Number(expiresAt) * 1000 - environment.now()) / HOUR;
}

const listFormerRecords = async (id: string) => (await listItems(id)).filter((name) => name.startsWith('FORMER#'));

test('an erasure covers an earlier, deleted record with the same subject, from the request on', async () => {
  const [first, second] = [newPerson(), newPerson()];
  const earlier = await createDeleted(first);
  const id = await create({ ...second, sub: first.sub });
  expect((await erase(id)).payload).toEqual({ id });

  expect(await findErasure(earlier)).toMatchObject({ by: 'sub:ann', completedAt: null });
  expect(await findErasure(id)).toMatchObject({ earlierRecords: [earlier], sameAddress: [] });
  expect(getErrorCode(await restore(earlier))).toBe('NOT_FOUND');
  expect(JSON.stringify(await readHistory(earlier))).not.toContain(first.name);

  await completeErasures();
  for (const each of [earlier, id]) expect((await findErasure(each))?.completedAt).toEqual(expect.any(String));
  for (const text of [first.name, first.email, first.sub]) expect(await listItems(text)).toEqual([]);
  expect(await listFormerRecords(earlier)).toEqual([]);
  expect(getErrorCode(await restore(earlier))).toBe('NOT_FOUND');
});

test('a person who comes back again can be erased again, with the records since then', async () => {
  const { sub } = newPerson();
  await createDeleted({ ...newPerson(), sub });
  await erase(await create({ ...newPerson(), sub }));
  await completeErasures();
  const third = await createDeleted({ ...newPerson(), sub });
  const fourth = await create({ ...newPerson(), sub });
  await erase(fourth);
  expect(await findErasure(fourth)).toMatchObject({ earlierRecords: [third] });
});

test('an erasure of a deleted record covers the others of its subject, whichever was deleted first', async () => {
  const { sub } = newPerson();
  const people = [newPerson(), newPerson()].map((person) => ({ ...person, sub }));
  const [first = '', second = ''] = [
    await createDeleted(people[0] as Person),
    await createDeleted(people[1] as Person),
  ];
  await erase(first);
  expect(await findErasure(first)).toMatchObject({ earlierRecords: [second] });
  await completeErasures();
  for (const { name } of people) expect(await listItems(name)).toEqual([]);
});

test('the job finds earlier records if the log was late at the request', async () => {
  const [first, second] = [newPerson(), newPerson()];
  const earlier = await createDeleted(first);
  const { payload } = await mutate('createUser', { ...second, sub: first.sub });
  const id = payload?.user.id ?? '';
  const stored = await findItem(userKey(id));
  await mutate('deleteUser', { id });
  await erase(id);
  expect(await findErasure(earlier)).toBe(null);
  await logChange(undefined, stored);
  await logChange(stored, undefined);
  await completeErasures();
  expect(await findErasure(earlier)).toMatchObject({ by: 'system', completedAt: null });
  await completeErasures();
  for (const { name } of [first, second]) expect(await listItems(name)).toEqual([]);
});

test('a request that fails in between can be repeated', async () => {
  const { sub } = newPerson();
  const earlier = await createDeleted({ ...newPerson(), sub });
  const id = await create({ ...newPerson(), sub });
  const isDeletion = (input: object) =>
    JSON.stringify(input).includes(`"Delete":{"TableName":"${TableName}","Key":${JSON.stringify(userKey(id))}`);
  table.middlewareStack.add(
    (next) => (args) => {
      if (isDeletion(args.input)) throw new Error('The process ends');
      return next(args);
    },
    { step: 'initialize', name: 'fail' },
  );
  vi.spyOn(console, 'error').mockReturnValue();
  expect(getErrorCode(await erase(id))).toBe('INTERNAL_SERVER_ERROR');
  table.middlewareStack.remove('fail');
  expect(await findItem(userKey(id))).toBeDefined();
  expect((await erase(id)).payload).toEqual({ id });
  expect(await findErasure(id)).toMatchObject({ earlierRecords: [earlier] });
});

test('parallel erasures of two records of a person complete', async () => {
  const { sub } = newPerson();
  const people = [newPerson(), newPerson()].map((person) => ({ ...person, sub }));
  const [earlier = '', id = ''] = [await createDeleted(people[0] as Person), await create(people[1] as Person)];
  const answers = await Promise.all([erase(earlier), erase(id)]);
  expect(answers.map(({ payload }) => payload)).toEqual([{ id: earlier }, { id }]);
  await completeErasures();
  for (const { name } of people) expect(await listItems(name)).toEqual([]);
});

test('a failed condition erases no earlier record', async () => {
  const { sub } = newPerson();
  const earlier = await createDeleted({ ...newPerson(), sub });
  const id = await create({ ...newPerson(), sub });
  expect(getErrorCode(await erase(id, { ifVersion: 9 }))).toBe('PRECONDITION_FAILED');
  expect(await findErasure(earlier)).toBe(null);
});

test('an erasure covers an earlier record that was deleted by hand', async () => {
  const { sub } = newPerson();
  const first = { ...newPerson(), sub };
  const earlier = await create(first);
  await logWrite(userKey(earlier), () => deleteItems([userKey(earlier)]));
  const id = await create({ ...newPerson(), sub });
  await erase(id);
  await completeErasures();
  expect(await listItems(first.name)).toEqual([]);
});

test('an erasure names other deleted users with the same address, and keeps their data', async () => {
  const { email } = newPerson();
  const [first, second, third] = [newPerson(), newPerson(), newPerson()];
  const other = await createDeleted({ ...first, email });
  const alsoErased = await createDeleted({ ...second, email: email.toUpperCase() });
  await erase(alsoErased);
  const id = await create({ ...third, email });
  await erase(id);
  expect(await findErasure(id)).toMatchObject({ earlierRecords: [], sameAddress: [other] });
  await completeErasures();
  expect(await findErasure(other)).toBe(null);
  expect(await listItems(first.name)).not.toEqual([]);
  await erase(other);
  await completeErasures();
  expect(await listItems(email)).toEqual([]);
});

test('an erasure names no user who has come back', async () => {
  const [first, second] = [newPerson(), newPerson()];
  const back = await createDeleted(first);
  await logWrite(userKey(back), () => restore(back));
  await logWrite(userKey(back), () => mutate('updateUser', { id: back, email: second.email }));
  const id = await create({ ...newPerson(), email: first.email });
  await erase(id);
  expect(await findErasure(id)).toMatchObject({ sameAddress: [] });
  expect(await findItem(userKey(back))).toBeDefined();
});

test('an id that another person has now is not erased with its former subject', async () => {
  const [first, second] = [newPerson(), newPerson()];
  const reused = await createDeleted(first);
  const time = new Date().toISOString();
  const imported = {
    id: reused,
    ...newPerson(),
    own: { sub: second.sub },
    fields: { sub: second.sub },
    createdAt: time,
  };
  await logWrite(userKey(reused), () =>
    returnUsers([{ create: () => ({ ...imported, updatedAt: time, version: 1, by: 'system' }) }]),
  );
  await logWrite(userKey(reused), () => mutate('deleteUser', { id: reused }));
  await erase(await create({ ...newPerson(), sub: first.sub }));
  expect(await findErasure(reused)).toBe(null);
});

test('the history and the export of a person name earlier records until they are erased', async () => {
  const { sub } = newPerson();
  const earlier = await createDeleted({ ...newPerson(), sub });
  const id = await create({ ...newPerson(), sub });
  expect((await readHistory(id)).earlierRecords).toEqual([earlier]);
  expect(await tableSource.readPerson(id)).toMatchObject({ earlierRecords: [earlier] });
  await logWrite(userKey(id), () => mutate('deleteUser', { id }));
  expect((await readHistory(id)).earlierRecords).toEqual([earlier]);
  expect(await tableSource.readPerson(id)).toMatchObject({ earlierRecords: [earlier] });
  await erase(earlier);
  expect((await readHistory(id)).earlierRecords).toEqual([]);
  expect(await tableSource.readPerson(id)).toMatchObject({ earlierRecords: [] });
});

test.each([
  ['1', 3 * 24 + 1],
  ['30', 31 * 24 + 1],
])(
  'with HISTORY_DAYS=%s, a former record expires after %i hours, a day after the entries of the log',
  async (days, hours) => {
    vi.stubEnv('HISTORY_DAYS', days);
    const id = await createDeleted(newPerson());
    const former = await listFormerRecords(id);
    expect(former).toHaveLength(2);
    for (const name of former) expect(await findHoursLeft(name)).toBeCloseTo(hours, 1);
  },
);

test('an import that deletes users keeps former records as long as the history of the deployment', async () => {
  vi.stubEnv('HISTORY_DAYS', '30');
  const id = await create(newPerson());
  vi.stubEnv('HISTORY_DAYS', undefined);
  const pace = new Pace({ maxLimit: 1, isBusy: () => false });
  expect(await deleteUsers([id], pace, new AbortController().signal)).toBe(1);
  const [former = ''] = await listFormerRecords(id);
  expect(await findHoursLeft(former)).toBeCloseTo(31 * 24 + 1, 1);
});

test('a service without a change log writes no former records', async () => {
  vi.stubEnv('CHANGE_LOG', 'off');
  const { payload } = await mutate('createUser', newPerson());
  const id = payload?.user.id ?? '';
  await mutate('deleteUser', { id });
  expect(await findItem(deletionKey(userKey(id)))).toBeDefined();
  expect(await listFormerRecords(id)).toEqual([]);
});
