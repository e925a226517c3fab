import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { newOperator as createOperator, newPerson as createPerson } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/logins-fields.json';
});

startServiceBeforeAll();

const ME = '/v1/users/me';
const newPerson = () => createPerson(service.url, issuer);
const newOperator = () => createOperator(service.url, issuer);

/** Creates a record with several logins. */
async function createRecord(count: number) {
  const [operator, logins] = [await newOperator(), await Promise.all(Array.from({ length: count }, newPerson))];
  const sub = logins.map(({ subject }) => subject);
  const name = `Ada ${randomUUID()}`;
  const email = `${randomUUID()}@example.org`;
  const created = await operator.send('/v1/users', { method: 'POST', body: { name, email, sub } });
  const { id } = created.body as { id: string };
  const path = `/v1/users/${id}`;
  const write = (values: object, method = 'PATCH') => operator.send(path, { method, body: values });
  return { operator, logins, sub, id, name, email, path, write, created };
}

const fixed = { status: 409, body: { code: 'SUBJECT_FIXED' } };

test('each item is unique and finds the record', async () => {
  const { operator, logins, sub, id, created } = await createRecord(2);
  expect(created).toMatchObject({ status: 201, body: { sub } });
  for (const { subject, send, graphql } of logins) {
    expect(await send(ME)).toMatchObject({ status: 200, body: { id } });
    expect(await send(ME, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({
      status: 409,
      body: { code: 'SUBJECT_TAKEN' },
    });
    expect(await operator.send(`/v1/users?sub=${encodeURIComponent(subject)}`)).toMatchObject({ body: [{ id }] });
    expect(await graphql('{ me { id } }')).toEqual({ data: { me: { id } } });
    expect(await operator.graphql(`{ userBySub(sub: "${subject}") { id sub } }`)).toEqual({
      data: { userBySub: { id, sub } },
    });
    const body = { name: 'Eve', email: `${randomUUID()}@example.org`, sub: ['free', subject] };
    expect(await operator.send('/v1/users', { method: 'POST', body })).toMatchObject({
      status: 409,
      body: { code: 'SUBJECT_TAKEN' },
    });
  }
});

test('a first sign-in stores its subject as a list', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  expect(body).not.toHaveProperty('sub');
  expect(await operator.send(`/v1/users/${(body as { id: string }).id}`)).toMatchObject({
    body: { sub: [ada.subject] },
  });
});

test('operators add logins, and remove one only while another stays', async () => {
  const { logins, sub, name, email, write } = await createRecord(1);
  const [ada] = logins;
  const [work, other] = [await newPerson(), await newPerson()];
  const both = [...sub, work.subject];
  expect(await write({ sub: both })).toMatchObject({ status: 200, body: { sub: both } });
  expect(await work.send(ME)).toMatchObject({ status: 200 });
  expect(await write({ sub: [other.subject] })).toMatchObject(fixed);
  expect(await write({ sub: [other.subject], name, email }, 'PUT')).toMatchObject(fixed);
  expect(await write({ name, email }, 'PUT')).toMatchObject({ status: 200, body: { sub: both } });
  expect(await write({ sub: [work.subject, other.subject] })).toMatchObject({ status: 200 });
  expect(await ada?.send(ME)).toMatchObject({ status: 404 });
  expect(await ada?.send(ME, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({ status: 201 });
});

test.each([[null], [[]], ['ada'], [['']], [['jürgen']], [['ada', 'ada']], [['a', 'b', 'c', 'd']], [[null]]])(
  'a subject cannot become %j',
  async (value) => {
    const { sub, path, operator, name, email, write } = await createRecord(2);
    for (const method of ['PATCH', 'PUT'])
      expect(await write({ name, email, sub: value }, method), method).toMatchObject({ status: 400 });
    expect(await operator.send(path)).toMatchObject({ body: { sub } });
  },
);

test('a deletion frees no login for a day, and an erasure finds the earlier record by each login', async () => {
  const { logins, operator, id, path } = await createRecord(2);
  expect(await operator.send(path, { method: 'DELETE' })).toMatchObject({ status: 204 });
  for (const { send } of logins)
    expect(await send(ME, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({
      status: 409,
      body: { code: 'SUBJECT_DELETED' },
    });
  const { findEarlierRecords } = await import('../../../../lib/features/erasure/former-records.ts');
  for (const { subject } of logins)
    expect(await findEarlierRecords({ id: 'new', email: 'new@example.org', own: { sub: [subject] } })).toEqual([id]);
});

test('an erasure of a record also erases the earlier records of its other logins', async () => {
  const [earlier, other] = [await createRecord(1), await createRecord(1)];
  for (const { operator, path } of [earlier, other]) await operator.send(path, { method: 'DELETE' });
  const current = await createRecord(1);
  await current.write({ sub: [...current.sub, ...earlier.sub, ...other.sub] });
  const erase = `mutation { deleteUser(input: { id: "${current.id}", erase: true }) { id } }`;
  expect(await current.operator.graphql(erase)).toMatchObject({ data: { deleteUser: { id: current.id } } });
  const erasure = `{ erasure(id: "${current.id}") { earlierRecords } }`;
  const { data } = (await current.operator.graphql(erasure)) as { data: { erasure: { earlierRecords: string[] } } };
  expect(data.erasure.earlierRecords.toSorted()).toEqual([earlier.id, other.id].toSorted());
});

test('an erasure also erases the earlier record of a login that the record no longer has', async () => {
  const [earlier, current] = [await createRecord(1), await createRecord(1)];
  await earlier.operator.send(earlier.path, { method: 'DELETE' });
  await current.write({ sub: [...current.sub, ...earlier.sub] });
  await current.write({ sub: current.sub });
  const { operator, id } = current;
  const listChanges = async () => {
    const { data } = (await operator.graphql(`{ userHistory(id: "${id}") { nodes { version } } }`)) as {
      data: { userHistory: { nodes: { version: number }[] } };
    };
    return data.userHistory.nodes.map(({ version }) => version);
  };
  await expect.poll(listChanges).toEqual([3, 2, 1]);
  await operator.graphql(`mutation { deleteUser(input: { id: "${id}", erase: true }) { id } }`);
  const findErasure = () => operator.graphql(`{ erasure(id: "${earlier.id}") { by } }`);
  expect(await findErasure()).toEqual({ data: { erasure: null } });
  const { environment } = await import('../../../../lib/environment.ts');
  const { erasureJob } = await import('../../../../lib/features/erasure/job.ts');
  const { runJobs } = await import('../../../../lib/maintenance/run.ts');
  const { now } = environment;
  onTestFinished(() => void Object.assign(environment, { now }));
  environment.now = () => now() + 6 * 60_000;
  await runJobs([erasureJob], () => true);
  expect(await findErasure()).toEqual({ data: { erasure: { by: 'system' } } });
});

test('after a merge of two records, each login finds the kept record at once, and both records are one person', async () => {
  const [kept, removed] = [await createRecord(2), await createRecord(1)];
  const { operator, id } = kept;
  // The console writes in this order.
  await operator.send(removed.path, { method: 'DELETE' });
  const sub = [...kept.sub, ...removed.sub];
  expect(await kept.write({ sub })).toMatchObject({ status: 200, body: { sub } });
  for (const { send } of [...kept.logins, ...removed.logins]) {
    const { status, headers, body } = await send(`${ME}/sign-in`, { method: 'POST', body: {} });
    expect([status, headers.get('sign-in-outcome'), body]).toEqual([200, 'found', expect.objectContaining({ id })]);
    expect(await send(ME, { method: 'PATCH', body: { name: `Ada ${randomUUID()}` } })).toMatchObject({ status: 200 });
  }
  const history = `{ userHistory(id: "${id}") { earlierRecords } }`;
  expect(await operator.graphql(history)).toEqual({ data: { userHistory: { earlierRecords: [removed.id] } } });
});

test('a restored record has all of its logins', async () => {
  const { logins, operator, id, path } = await createRecord(2);
  await operator.send(path, { method: 'DELETE' });
  expect(await operator.graphql(`mutation { restoreUser(input: { id: "${id}" }) { user { id } } }`)).toEqual({
    data: { restoreUser: { user: { id } } },
  });
  for (const { send } of logins) expect(await send(ME)).toMatchObject({ status: 200, body: { id } });
});

test('a relink replaces the logins of a user by the rows of the user', async () => {
  const { relink } = await import('../../../../infra/scripts/subjects.ts');
  const folder = mkdtempSync(join(tmpdir(), 'logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'subjects.csv');
  const { sub, id } = await createRecord(2);
  const run = (rows: string[]) => {
    writeFileSync(file, `id,subject\n${rows.map((subject) => `${id},${subject}`).join('\n')}\n`);
    return relink(file, { issuer: issuer.url, pause: async () => {} });
  };
  expect(await run(sub)).toEqual({ changed: 0, unchanged: 1, failures: [] });
  const [first = ''] = sub;
  expect(await run([first, 'x1', 'x1', 'x2', 'x3'])).toEqual({
    changed: 1,
    unchanged: 0,
    failures: [
      { line: 4, reason: 'An earlier line has this subject' },
      { line: 6, reason: 'A user has at most 3 subjects' },
    ],
  });
  expect(await run([first, 'x3'])).toMatchObject({ changed: 1, failures: [] });
  const { findUserByField } = await import('../../../../lib/users/unique-values.ts');
  const { subjectField } = await import('../../../../lib/users/fields/values.ts');
  if (!subjectField) throw new Error('No subject is declared');
  const owners = await Promise.all([...sub, 'x1', 'x3'].map((each) => findUserByField(subjectField, each)));
  expect(owners.map((owner) => owner?.id)).toEqual([id, undefined, undefined, id]);
});

test('a CSV cell lists the logins, and each is compared with earlier rows', async () => {
  const { readRows } = await import('../../../../infra/transfer/rows.ts');
  const { importRows } = await import('../../../../infra/transfer/import-rows.ts');
  const { Pace } = await import('../../../../infra/transfer/pace.ts');
  const rows = ['Ada,ada@x.org,auth0|a', 'Bob,bob@x.org,"[""auth0|b"",""auth0|c""]"', 'Eve,eve@x.org,"[""auth0|c""]"'];
  async function* read() {
    yield Buffer.from(`name,email,sub\n${rows.join('\n')}\n`);
  }
  const results: object[] = [];
  const log = { doneUpTo: 0, append: (found: readonly object[]) => void results.push(...found) };
  await importRows(readRows(read()), {
    target: undefined,
    pace: new Pace({ maxLimit: 1, isBusy: () => false }),
    results: log,
  });
  expect(results).toMatchObject([
    { line: 2, result: 'valid' },
    { line: 3, result: 'valid' },
    { line: 4, result: 'invalid', issues: [{ column: 'sub', message: 'is the sub of line 3, too' }] },
  ]);
});

test('a list of logins is not the key of an upsert, which would remove the other logins', async () => {
  const { operator, sub, name, email, path } = await createRecord(2);
  const body = { name, email, sub };
  const put = await operator.send(`/v1/users?sub=${encodeURIComponent(String(sub[0]))}`, { method: 'PUT', body });
  expect(put).toMatchObject({
    status: 400,
    body: { issues: [{ path: ['sub'], message: 'is not a parameter of PUT; its parameters are email, nickname' }] },
  });
  const upsert = `mutation ($users: [UpsertUserInput!]!) {
    upsertUsers(input: { by: "sub", users: $users }) { results { outcome } }
  }`;
  expect(await operator.graphql(upsert, { users: [body] })).toMatchObject({
    errors: [{ message: 'by: must be a unique field: email, nickname' }],
  });
  const { openTableTarget } = await import('../../../../infra/scripts/transfer/table-target.ts');
  await expect(
    openTableTarget({
      ...{ keepIds: false, keepTimes: false, update: true, by: 'sub', despiteErasure: false },
      ...{ startedAt: '', importId: '' },
    }),
  ).rejects.toThrow('--by must be one of id, email, nickname');
  expect(await operator.send(path)).toMatchObject({ body: { sub } });
});
