import { beforeEach, expect, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { createCaller, newOperator as createOperator, newPerson as createPerson, type Person } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/sign-in-fields.json';
});

startServiceBeforeAll();

beforeEach(() => {
  vi.stubEnv('SELF_LINK', 'verified-email');
  vi.stubEnv('EMAIL_FOLLOWS', 'on');
  vi.spyOn(console, 'info').mockReturnValue();
  return () => vi.unstubAllEnvs();
});

const ME = '/v1/users/me';
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const OLD = '2026-01-31T12:00:00.000Z';

type Shown = { id: string; lastSeen?: string };

const newPerson = () => createPerson(service.url, issuer);
const newOperator = () => createOperator(service.url, issuer);

async function signIn(person: Pick<Person, 'send'>) {
  const { status, headers, body } = await person.send(`${ME}/sign-in`, { method: 'POST', body: { name: 'Ada' } });
  return { status, outcome: headers.get('sign-in-outcome'), etag: headers.get('etag'), record: body as Shown };
}

test('a creation and a link store the time in their version, and a followed address does not delay it', async () => {
  const [ada, bob, operator] = [await newPerson(), await newPerson(), await newOperator()];
  const created = await signIn(ada);
  expect(created).toMatchObject({ outcome: 'created', record: { lastSeen: expect.stringMatching(TIME) } });
  expect(await signIn(ada)).toEqual({ ...created, status: 200, outcome: 'found' });
  await operator.send('/v1/users', { method: 'POST', body: { name: 'Bob', email: bob.email } });
  const linked = await signIn(bob);
  expect(linked).toMatchObject({ outcome: 'linked', record: { lastSeen: expect.stringMatching(TIME) } });
  expect(linked.etag).toContain(`${linked.record.id}.2-`);

  const path = `/v1/users/${created.record.id}`;
  await operator.send(path, { method: 'PATCH', body: { lastSeen: OLD } });
  const moved = await signIn(createCaller(service.url, await ada.sign({ email: `new-${ada.email}` })));
  expect(moved.record).toMatchObject({ email: `new-${ada.email}`, lastSeen: expect.not.stringContaining(OLD) });
  expect(moved.etag).toContain('.3-');
});

test('of parallel sign-ins that follow an address, one makes a version', async () => {
  const ada = await newPerson();
  const { record } = await signIn(ada);
  const moved = createCaller(service.url, await ada.sign({ email: `new-${ada.email}` }));
  for (const { outcome } of await Promise.all(Array.from({ length: 8 }, () => signIn(moved))))
    expect(outcome).toBe('found');
  expect((await signIn(moved)).etag).toContain(`${record.id}.2-`);
});

test('POST and other requests store no time', async () => {
  const ada = await newPerson();
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  expect(body).not.toHaveProperty('lastSeen');
  await ada.send(ME, { method: 'PATCH', body: { name: 'Ada King' } });
  expect((await ada.send(ME)).body).toEqual({ ...(body as object), name: 'Ada King' });
});

test('a later sign-in stores the time without a version, and conditions compare versions only', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { id } = (await signIn(ada)).record;
  const path = `/v1/users/${id}`;
  const aged = await operator.send(path, { method: 'PATCH', body: { lastSeen: OLD } });
  const before = await ada.send(ME);
  const { record, etag } = await signIn(ada);
  expect(record).toEqual({ ...(before.body as Shown), lastSeen: expect.not.stringContaining(OLD) });
  const after = await ada.send(ME);
  expect([after.body, after.headers.get('etag')]).toEqual([record, etag]);
  expect(after.headers.get('last-modified')).toBe(before.headers.get('last-modified'));
  expect(etag).not.toBe(before.headers.get('etag'));
  expect(etag).toContain(`${id}.2-`);
  const ifNone = { headers: { 'if-none-match': String(before.headers.get('etag')) } };
  expect(await ada.send(ME, ifNone)).toMatchObject({ status: 200 });

  const operatorTag = { 'if-match': String(aged.headers.get('etag')) };
  const renamed = await operator.send(path, { method: 'PATCH', body: { name: 'Sentinel' }, headers: operatorTag });
  expect(renamed).toMatchObject({ status: 200, body: { lastSeen: record.lastSeen } });
  const query = `{
    userHistory(id: "${id}") { nodes { version changed } }
    userChanges(first: 100, after: "${new Date(Date.now() - 600_000).toISOString()}") { nodes { version user { id } } }
  }`;
  type Result = {
    data: {
      userHistory: { nodes: { version: number }[] };
      userChanges: { nodes: { version: number; user: { id: string } }[] };
    };
  };
  const readVersions = async () => {
    const { data } = (await operator.graphql(query)) as Result;
    const changes = data.userChanges.nodes.filter(({ user }) => user.id === id);
    return [data.userHistory.nodes.map(({ version }) => version), changes.map(({ version }) => version)];
  };
  await expect.poll(readVersions).toEqual([
    [3, 2, 1],
    [1, 2, 3],
  ]);
});

test('a first time of an existing record makes no history entry', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  const { id } = body as Shown;
  expect((await signIn(ada)).record.lastSeen).toMatch(TIME);
  await ada.send(ME, { method: 'PATCH', body: { name: 'Sentinel' } });
  const query = `{ userHistory(id: "${id}") { nodes { version changed } } }`;
  await expect
    .poll(() => operator.graphql(query))
    .toMatchObject({
      data: { userHistory: { nodes: [{ version: 2, changed: ['name'] }, { version: 1 }] } },
    });
});

test('lists sort by the time, and find people who were not here since', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { id } = (await signIn(ada)).record;
  const list = async (query: string) =>
    ((await operator.send(`/v1/users?${query}`)).body as Shown[]).map((each) => each.id);
  const findOld = () => list('lastSeen.lt=2026-03-01T00:00:00Z');
  expect(await findOld()).not.toContain(id);
  await operator.send(`/v1/users/${id}`, { method: 'PATCH', body: { lastSeen: OLD } });
  expect(await findOld()).toContain(id);
  await signIn(ada);
  expect(await findOld()).not.toContain(id);
  expect(await list('sort=lastSeen&order=desc&limit=1')).toEqual([id]);
});

test('60 parallel sign-ins store one time', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { id } = (await signIn(ada)).record;
  await operator.send(`/v1/users/${id}`, { method: 'PATCH', body: { lastSeen: OLD } });
  const answers = await Promise.all(Array.from({ length: 60 }, () => signIn(ada)));
  const times = new Set(answers.map(({ record }) => record.lastSeen));
  expect([...times]).toEqual([(await signIn(ada)).record.lastSeen]);
});

test('people cannot set the time; operators can, and a PUT without it keeps it', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { id, lastSeen } = (await signIn(ada)).record;
  for (const [path, method] of [
    [ME, 'PATCH'],
    [ME, 'POST'],
    [`${ME}/sign-in`, 'POST'],
  ] as const)
    expect(await ada.send(path, { method, body: { name: 'Ada', lastSeen: OLD } }), method).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['lastSeen'], message: 'cannot be changed here' }] },
    });
  const path = `/v1/users/${id}`;
  const put = (body: object) =>
    operator.send(path, { method: 'PUT', body: { name: 'Ada King', email: ada.email, ...body } });
  expect(await put({})).toMatchObject({ status: 200, body: { lastSeen } });
  expect(await put({ lastSeen: OLD })).toMatchObject({ body: { lastSeen: OLD } });
  expect((await put({ lastSeen: null })).body).not.toHaveProperty('lastSeen');
});

test.each([
  ['in the future', '9999-12-31T00:00:00.000Z'],
  ['of another type', 7],
])('a stored time %s is replaced', async (_, lastSeen) => {
  const { UpdateCommand } = await import('@aws-sdk/lib-dynamodb');
  const { table, TableName } = await import('../../../../lib/dynamodb/client.ts');
  const { userKey } = await import('../../../../lib/dynamodb/keys.ts');
  const ada = await newPerson();
  const { id } = (await signIn(ada)).record;
  await table.send(
    new UpdateCommand({
      TableName,
      Key: userKey(id),
      UpdateExpression: 'SET #fields.lastSeen = :time',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':time': lastSeen },
    }),
  );
  const { record } = await signIn(ada);
  expect(record.lastSeen).toMatch(TIME);
  expect(record.lastSeen).not.toBe(lastSeen);
});

test('a sign-in stores the time even if the own values are too large', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  const { UpdateCommand } = await import('@aws-sdk/lib-dynamodb');
  const { table, TableName } = await import('../../../../lib/dynamodb/client.ts');
  const { userKey } = await import('../../../../lib/dynamodb/keys.ts');
  await table.send(
    new UpdateCommand({
      TableName,
      Key: userKey((body as Shown).id),
      UpdateExpression: 'SET #fields.bio = :bio',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':bio': 'b'.repeat(9000) },
    }),
  );
  expect((await signIn(ada)).record.lastSeen).toMatch(TIME);
  expect(await operator.send(`/v1/users/${(body as Shown).id}`)).toMatchObject({
    body: { lastSeen: expect.stringMatching(TIME) },
  });
});
