import { beforeEach, describe, expect, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import {
  type Answer,
  createCaller,
  newOperator as createOperator,
  newPerson as createPerson,
  type Person,
} from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

startServiceBeforeAll();

beforeEach(() => {
  vi.stubEnv('SELF_LINK', 'verified-email');
  vi.stubEnv('EMAIL_FOLLOWS', 'on');
  vi.spyOn(console, 'info').mockReturnValue();
  return () => vi.unstubAllEnvs();
});

type Caller = ReturnType<typeof createCaller>;

const ME = '/v1/users/me';
const SIGN_IN = `${ME}/sign-in`;

const newPerson = (claims: object = {}) => createPerson(service.url, issuer, claims);
const newOperator = () => createOperator(service.url, issuer);

const signIn = (person: Pick<Person, 'send'>, body: object = {}) => person.send(SIGN_IN, { method: 'POST', body });
const getOutcome = ({ status, headers }: Answer) => [
  status,
  headers.get('sign-in-outcome'),
  headers.get('email-conflict'),
];
const getId = ({ body }: Answer) => (body as { id: string }).id;
const withEmail = async (person: Person, email: string) =>
  createCaller(service.url, await person.sign({ email, email_verified: true }));

/** Creates a record without a subject, which waits for its person. */
async function invite(person: Pick<Person, 'email'>, values: object = {}): Promise<string> {
  const operator = await newOperator();
  const body = { name: 'Invited', email: person.email.toUpperCase(), ...values };
  return getId(await operator.send('/v1/users', { method: 'POST', body }));
}

describe.each([ME, '/api/users/me'])('%s/sign-in', (path) => {
  const send = (person: Person, method: string, body?: object) =>
    person.send(`${path}/sign-in`, { method, ...(body ? { body } : {}) });

  test('creates a record once, and finds it afterwards without using the body', async () => {
    const ada = await newPerson();
    const nickname = ada.subject.slice(6, 40);
    const created = await send(ada, 'POST', { name: 'Ada', nickname });
    expect(getOutcome(created)).toEqual([201, 'created', null]);
    expect(created.headers.get('location')).toBe(path);
    const record = await ada.send(path);
    expect(record.body).toEqual(created.body);
    for (const body of [{}, { name: 'Other', nickname: 'other', email: 'other@example.org' }]) {
      const found = await send(ada, 'POST', body);
      expect(getOutcome(found)).toEqual([200, 'found', null]);
      expect(found.body).toEqual(record.body);
      expect(['etag', 'location', 'cache-control'].map((name) => found.headers.get(name))).toEqual([
        record.headers.get('etag'),
        null,
        'no-store',
      ]);
    }
  });

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is 405', async (method) => {
    const answer = await send(await newPerson(), method);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

test('the errors are those of POST', async () => {
  const ada = await newPerson();
  expect(await signIn(ada)).toMatchObject({
    status: 400,
    body: { issues: [{ path: ['name'], message: 'is required' }] },
  });
  for (const body of [{ plan: 'pro' }, { sub: 'x' }, { name: '' }]) {
    const rejected = await signIn(ada, body);
    expect(rejected.status).toBe(400);
    expect(rejected.body).toEqual(
      (await ada.send(ME, { method: 'POST', body: { name: 'Ada', ...(body as object) } })).body,
    );
  }
  const rejected = { status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } };
  expect(await signIn(ada, { name: 'Ada', email: 'other@example.org' })).toMatchObject(rejected);
  expect(await signIn(await newPerson({ email_verified: false }), { name: 'Ada' })).toMatchObject(rejected);
  const client = await newPerson({ sub: 'app', client_id: 'app' });
  expect(await signIn(client, { name: 'X' })).toMatchObject({ status: 403, body: { code: 'NO_PERSON' } });
  const operator = await newPerson({ scope: 'users:read users:write' });
  expect(await signIn(operator, { name: 'X' })).toMatchObject({ status: 403 });
  expect(await ada.send(ME)).toMatchObject({ status: 404 });
});

test('of ten parallel calls one creates the record, and the others find it, also without a name', async () => {
  const ada = await newPerson();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => signIn(ada, index % 2 === 0 ? { name: 'Ada' } : {})),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const early = answers.filter(({ status }) => status === 400);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(9 - early.length);
  expect(new Set(answers.filter(({ status }) => status < 400).map(getId)).size).toBe(1);
  expect(getOutcome(await signIn(ada))).toEqual([200, 'found', null]);
});

test('60 sign-ins a minute find the record, and write nothing', async () => {
  const ada = await newPerson();
  await signIn(ada, { name: 'Ada' });
  const { getItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { personKey } = await import('../../../../lib/features/me/keys.ts');
  for (let count = 0; count < 61; count++) expect(getOutcome(await signIn(ada))).toEqual([200, 'found', null]);
  expect(await getItems([personKey(ada.subject)], { ConsistentRead: true })).toMatchObject([{ writes: 1 }]);
});

describe('a record with the verified address', () => {
  test('and without a subject is linked to the person, without other changes', async () => {
    const ada = await newPerson();
    const id = await invite(ada, { plan: 'pro' });
    const linked = await signIn(ada, { name: 'Ignored' });
    expect(getOutcome(linked)).toEqual([200, 'linked', null]);
    expect(linked.body).toEqual({ id, name: 'Invited', email: ada.email.toUpperCase(), plan: 'pro' });
    expect(getOutcome(await signIn(ada))).toEqual([200, 'found', null]);
    const operator = await newOperator();
    expect(await operator.send(`/v1/users/${id}`)).toMatchObject({ body: { sub: ada.subject } });
    const query = `{ userHistory(id: "${id}") { nodes { by kind version linked changed } } }`;
    await expect
      .poll(() => operator.graphql(query))
      .toEqual({
        data: {
          userHistory: {
            nodes: [
              { by: 'self', kind: 'UPDATED', version: 2, linked: true, changed: ['sub'] },
              { by: 'sub:operator', kind: 'CREATED', version: 1, linked: false, changed: expect.any(Array) },
            ],
          },
        },
      });
  });

  test('is not linked if selfLink is off', async () => {
    vi.stubEnv('SELF_LINK', 'off');
    const ada = await newPerson();
    const id = await invite(ada);
    expect(await signIn(ada, { name: 'Ada' })).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
    expect(await (await newOperator()).send(`/v1/users/${id}`)).toMatchObject({
      body: { name: 'Invited', email: ada.email.toUpperCase() },
    });
  });

  test.each([
    ['is not verified', { email_verified: false }],
    ['is another one in the body', {}],
  ])('is not linked if the address %s', async (_, claims) => {
    const ada = await newPerson(claims);
    await invite(ada);
    const body = { name: 'Ada', email: 'other@example.org' };
    expect(await signIn(ada, body)).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
  });

  test('and a subject is never linked', async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const id = await invite(ada, { sub: bob.subject });
    expect(await signIn(ada, { name: 'Ada' })).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
    expect(getId(await signIn(bob))).toBe(id);
  });

  test('and a subject that its declaration no longer allows is never linked', async () => {
    const { UpdateCommand } = await import('@aws-sdk/lib-dynamodb');
    const { table, TableName } = await import('../../../../lib/dynamodb/client.ts');
    const { userKey } = await import('../../../../lib/dynamodb/keys.ts');
    const ada = await newPerson();
    const id = await invite(ada);
    await table.send(
      new UpdateCommand({
        TableName,
        Key: userKey(id),
        UpdateExpression: 'SET #fields = :fields',
        ExpressionAttributeNames: { '#fields': 'fields' },
        ExpressionAttributeValues: { ':fields': { sub: ['a', 'b'] } },
      }),
    );
    expect(await signIn(ada, { name: 'Ada' })).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
  });

  test.each([
    [
      'deleted and restored',
      async (operator: Caller, id: string) => {
        await operator.send(`/v1/users/${id}`, { method: 'DELETE' });
        const restore = `mutation { restoreUser(input: { id: "${id}" }) { user { id } } }`;
        await expect.poll(() => operator.graphql(restore)).toEqual({ data: { restoreUser: { user: { id } } } });
      },
    ],
    [
      'erased and imported again',
      async (operator: Caller, id: string, email: string) => {
        const erase = `mutation { deleteUser(input: { id: "${id}", erase: true }) { id } }`;
        expect(await operator.graphql(erase)).toMatchObject({ data: { deleteUser: { id } } });
        const { returnUsers } = await import('../../../../lib/users/return.ts');
        const { newUser } = await import('../../../../lib/users/user.ts');
        const createdAt = '2026-01-31T12:00:00.000Z';
        const create = () => newUser({ name: 'Again', email }, 'system', { id, createdAt });
        expect(await returnUsers([{ create, despiteErasure: true }])).toMatchObject([{ kind: 'written' }]);
      },
    ],
  ])('is not linked if it was %s, because it may have had a subject', async (_, bringBack) => {
    const [ada, operator] = [await newPerson(), await newOperator()];
    const id = await invite(ada);
    await bringBack(operator, id, ada.email);
    expect(await operator.send(`/v1/users/${id}`)).toMatchObject({ status: 200 });
    expect(await signIn(ada, { name: 'Ada' })).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
  });

  test('is not linked within 24 hours after a deletion of the record of the same subject', async () => {
    const [ada, operator] = [await newPerson(), await newOperator()];
    const id = getId(await signIn(ada, { name: 'Ada' }));
    await operator.send(`/v1/users/${id}`, { method: 'DELETE' });
    const deleted = { status: 409, body: { code: 'SUBJECT_DELETED' } };
    expect(await signIn(ada, { name: 'Ada' })).toMatchObject(deleted);
    await invite(ada);
    expect(await signIn(ada, { name: 'Ada' })).toMatchObject(deleted);
  });

  test('is linked to one of the people who claim it at once', async () => {
    const ada = await newPerson();
    const claim = { email: ada.email };
    const people = [ada, ...(await Promise.all(Array.from({ length: 7 }, () => newPerson(claim))))];
    const id = await invite(ada);
    const answers = await Promise.all(people.map((person) => signIn(person, { name: 'Claimer' })));
    expect(answers.map(getOutcome).toSorted()).toEqual([
      [200, 'linked', null],
      ...Array.from({ length: 7 }, () => [409, null, null]),
    ]);
    const winner = people[answers.findIndex(({ status }) => status === 200)];
    expect(await (await newOperator()).send(`/v1/users/${id}`)).toMatchObject({ body: { sub: winner?.subject } });
  });

  test('is linked once by parallel calls of one person, and the others find it, without a name', async () => {
    const ada = await newPerson();
    const id = await invite(ada);
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(ada)));
    expect(answers.map(getOutcome).toSorted()).toEqual([
      ...Array.from({ length: 7 }, () => [200, 'found', null]),
      [200, 'linked', null],
    ]);
    expect(answers.map(getId)).toEqual(answers.map(() => id));
  });
});

describe("the token's address", () => {
  test('replaces a different one of the record, and keeps another spelling', async () => {
    const ada = await newPerson();
    const created = await signIn(ada, { name: 'Ada' });
    const spelled = await signIn(await withEmail(ada, ada.email.toUpperCase()));
    expect(spelled.headers.get('etag')).toBe(created.headers.get('etag'));
    const moved = await signIn(await withEmail(ada, `new-${ada.email}`));
    expect(getOutcome(moved)).toEqual([200, 'found', null]);
    expect(moved.body).toMatchObject({ id: getId(created), email: `new-${ada.email}` });
    expect((await ada.send(ME)).body).toEqual(moved.body);
  });

  test('of another user changes nothing, is reported, and does not count as a write', async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    await signIn(bob, { name: 'Bob' });
    const created = await signIn(ada, { name: 'Ada' });
    const claiming = await withEmail(ada, bob.email.toUpperCase());
    for (let count = 0; count < 61; count++) {
      const answer = await signIn(claiming);
      expect([...getOutcome(answer), answer.body]).toEqual([200, 'found', 'true', created.body]);
    }
    expect(await claiming.graphql('mutation { signIn { me { email } outcome emailConflict } }')).toEqual({
      data: { signIn: { me: { email: ada.email }, outcome: 'found', emailConflict: true } },
    });
  });

  test.each([
    ['is not verified', { email_verified: false }, 'on'],
    ['is missing', { email: undefined }, 'on'],
    ['may not follow', {}, 'off'],
  ])('that %s leaves the record as it is', async (_, claims, follows) => {
    vi.stubEnv('EMAIL_FOLLOWS', follows);
    const ada = await newPerson();
    const created = await signIn(ada, { name: 'Ada' });
    const token = await ada.sign({ email: `new-${ada.email}`, ...claims });
    const answer = await signIn(createCaller(service.url, token));
    expect([...getOutcome(answer), answer.body]).toEqual([200, 'found', null, created.body]);
  });

  test('that two people take over at once goes to one of them', async () => {
    const people = [await newPerson(), await newPerson()];
    for (const person of people) await signIn(person, { name: 'X' });
    const callers = await Promise.all(people.map((person) => withEmail(person, `new-${people[0]?.email}`)));
    const answers = await Promise.all(callers.map((caller) => signIn(caller)));
    expect(answers.map((answer) => getOutcome(answer)[2]).toSorted()).toEqual(['true', null].toSorted());
  });
});

test('GraphQL has the same outcomes and errors', async () => {
  const ada = await newPerson();
  const query = `mutation ($input: SignInInput!) {
    signIn(input: $input) { me { id name email } outcome emailConflict }
  }`;
  const call = async (input: object) => await ada.graphql(query, { input });
  expect(await call({})).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  expect(await call({ name: 'Ada', email: 'x@example.org' })).toMatchObject({
    errors: [{ extensions: { reason: 'EMAIL_NOT_VERIFIED' } }],
  });
  const id = await invite(ada);
  const me = { id, name: 'Invited', email: ada.email.toUpperCase() };
  expect(await call({ name: null, email: null })).toEqual({
    data: { signIn: { me, outcome: 'linked', emailConflict: false } },
  });
  expect(await call({})).toEqual({ data: { signIn: { me, outcome: 'found', emailConflict: false } } });
  const bob = await newPerson();
  expect(await bob.graphql(query, { input: { name: 'Bob' } })).toMatchObject({
    data: { signIn: { me: { name: 'Bob', email: bob.email }, outcome: 'created', emailConflict: false } },
  });
});

test('the client signs in', async () => {
  const { createClient } = await import('../../../../lib/client/client.ts');
  const ada = await newPerson();
  const token = await ada.sign();
  const { me } = createClient({ baseUrl: service.url, auth: () => token });
  await expect(me.signIn()).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  const created = await me.signIn({ name: 'Ada' });
  expect(created).toMatchObject({ me: { name: 'Ada', version: 1 }, outcome: 'created', emailConflict: false });
  expect(await me.signIn()).toEqual({ ...created, outcome: 'found' });
});

test('the 61st creation or link of a person within an hour is rejected', async () => {
  const ada = await newPerson();
  const { personKey } = await import('../../../../lib/features/me/keys.ts');
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const hour = Math.floor(Date.now() / 3_600_000);
  // Also counts the next hour, which may start during the test.
  await putItems([{ ...personKey(ada.subject), countedHour: hour + 1, writes: 60 }]);
  const limited = { status: 429, body: { code: 'TOO_MANY_REQUESTS' } };
  expect(await signIn(ada, { name: 'Ada' })).toMatchObject(limited);
  await invite(ada);
  expect(await signIn(ada)).toMatchObject(limited);
});
