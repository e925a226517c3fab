import { beforeAll, expect, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { createCaller, newPerson as createPerson, type Person } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

beforeAll(() => void vi.spyOn(console, 'info').mockImplementation(() => {}));
startServiceBeforeAll();

const ME = '/v1/users/me';
const DATA = `${ME}/data`;
const newPerson = () => createPerson(service.url, issuer);
const newOperator = async () =>
  createCaller(
    service.url,
    await issuer.sign({ sub: 'ines@operators', groups: ['users-write'], scope: 'users:read users:write' }),
  );

async function createRecord(person: Person): Promise<string> {
  const { body } = await person.send(ME, {
    method: 'POST',
    body: { name: 'Ada', nickname: person.subject.slice(6, 40) },
  });
  return (body as { id: string }).id;
}

const load = async () => ({
  ...(await import('../../../../lib/dynamodb/batch.ts')),
  ...(await import('../../../../lib/environment.ts')),
  ...(await import('../../../../lib/features/me/keys.ts')),
  ...(await import('../../../../lib/features/me/data.ts')),
  ...(await import('../../../../lib/features/me/person.ts')),
});

type Data = Awaited<ReturnType<Awaited<ReturnType<typeof load>>['readMyData']>>;

/** Repeats downloads, without their limit, until the history has `count` changes, which appear after the writes. */
async function readWithHistory({ subject }: Person, count: number): Promise<Data> {
  const { readMyData, parsePerson, personKey, deleteItems } = await load();
  const read = async () => {
    const data = await readMyData(parsePerson({ sub: subject, iss: issuer.url }));
    await deleteItems([personKey(subject)]);
    expect(data.changes.length).toBeGreaterThanOrEqual(count);
    return data;
  };
  return vi.waitFor(read, { timeout: 60_000, interval: 200 });
}

test('a download has record, logins, posts and history, without hidden fields and names of operators', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const id = await createRecord(ada);
  await operator.send(`/v1/users/${id}`, { method: 'PATCH', body: { plan: 'pro', note: 'difficult customer' } });
  const mutation = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
  await operator.graphql(mutation, { input: { authorId: id, title: 'Notes' } });
  await readWithHistory(ada, 2);
  const answer = await ada.send(DATA);
  expect(answer).toMatchObject({ status: 200 });
  expect([answer.headers.get('content-disposition'), answer.headers.get('cache-control')]).toEqual([
    `attachment; filename="${id}.json"`,
    'no-store',
  ]);
  const data = answer.body as Data;
  const nickname = ada.subject.slice(6, 40);
  const first = { id, name: 'Ada', email: ada.email, nickname, plan: 'free', version: 1 };
  const second = { ...first, plan: 'pro', version: 2 };
  const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
  expect(Object.keys(data)[0]).toBe('missing');
  expect(data).toEqual({
    missing: [
      'Fields that the service does not show to you',
      'Names of operators: changes by them are by operator',
      'Deleted posts, and earlier versions of posts',
      expect.stringMatching(/^Changes before 20.*Z, and from before the record was yours$/),
    ],
    user: { ...second, ...times },
    logins: [ada.subject],
    earlierRecords: [],
    posts: [{ id: expect.stringContaining(id), title: 'Notes', publishedAt: null, version: 1 }],
    changes: [
      {
        kind: 'UPDATED',
        at: expect.any(String),
        by: 'operator',
        version: 2,
        before: { ...first, ...times },
        after: { ...second, ...times },
      },
      { kind: 'CREATED', at: expect.any(String), by: 'self', version: 1, before: null, after: { ...first, ...times } },
    ],
  });
  expect(JSON.stringify(data)).not.toMatch(/ines|difficult|note/);
  expect((await ada.send('/api/users/me/data')).body).toEqual({ data: { ...data, missing: expect.any(Array) } });
  const { createClient } = await import('../../../../lib/client/client.ts');
  const { me } = createClient({ baseUrl: service.url, auth: () => ada.authorization.replace('Bearer ', '') });
  expect(await me.download()).toMatchObject({ user: second, logins: [ada.subject] });
});

test('the fourth download of a day is 429 until the day ends, also of a HEAD', async () => {
  const { environment } = await load();
  const ada = await newPerson();
  await createRecord(ada);
  const day = 24 * 3_600_000;
  const midnight = Math.ceil(Date.now() / day) * day;
  const clock = vi.spyOn(environment, 'now').mockReturnValue(midnight - 90_000);
  const claims = { iat: Math.floor(Date.now() / 1000) - 60, exp: Math.floor(midnight / 1000) + 3600 };
  const person = createCaller(service.url, await ada.sign(claims));
  for (const method of ['GET', 'HEAD', 'GET'])
    expect(await person.send(DATA, { method })).toMatchObject({ status: 200 });
  const limited = await person.send('/api/users/me/data');
  expect(limited).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
  expect(limited.headers.get('retry-after')).toBe('90');
  expect(await person.send(ME, { method: 'PATCH', body: { name: 'Ada King' } })).toMatchObject({ status: 200 });
  expect(await person.send(DATA)).toMatchObject({ status: 429 });
  clock.mockReturnValue(midnight);
  expect(await person.send(DATA)).toMatchObject({ status: 200 });
  clock.mockRestore();
});

test('a person without a record gets 404, and other methods 405', async () => {
  const ada = await newPerson();
  expect(await ada.send(DATA)).toMatchObject({ status: 404 });
  const answer = await ada.send(DATA, { method: 'POST', body: {} });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('changes from before the record was linked to the person are missing', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const body = { name: 'Former', email: ada.email };
  const created = await operator.send('/v1/users', { method: 'POST', body });
  const path = `/v1/users/${(created.body as { id: string }).id}`;
  await operator.send(path, { method: 'PATCH', body: { name: 'Linked', sub: ada.subject } });
  const { changes } = await readWithHistory(ada, 1);
  expect(changes).toMatchObject([{ kind: 'UPDATED', version: 2, before: null, after: { name: 'Linked' } }]);
});
