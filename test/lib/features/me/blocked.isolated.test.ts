import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { handler } from '../../../../functions/customize-token.ts';
import { findCodeBlocks } from '../../../setup/markdown.ts';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { newOperator as createOperator, newPerson as createPerson, type Person } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/blocking-fields.json';
});

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  vi.stubEnv('SELF_DELETE', 'erase');
});
startServiceBeforeAll();

const ME = '/v1/users/me';
const newPerson = () => createPerson(service.url, issuer);
const newOperator = () => createOperator(service.url, issuer);

async function createRecord(person: Person): Promise<string> {
  const { body } = await person.send(ME, { method: 'POST', body: { name: 'Ada' } });
  return (body as { id: string }).id;
}

async function setFields(id: string, body: object): Promise<void> {
  const operator = await newOperator();
  expect(await operator.send(`/v1/users/${id}`, { method: 'PATCH', body })).toMatchObject({ status: 200, body });
}

const BLOCKED = { status: 403, body: { code: 'BLOCKED', title: 'The person is blocked' } };
const GRAPHQL_BLOCKED = { errors: [{ extensions: { code: 'FORBIDDEN', reason: 'BLOCKED' } }] };

const follow = async (person: Person, after?: string) => {
  const { createClient } = await import('../../../../lib/client/client.ts');
  const { me } = createClient({ baseUrl: service.url, auth: () => person.authorization.replace('Bearer ', '') });
  return me.changes({ after, signal: AbortSignal.timeout(60_000) });
};

test.each([
  ['a value of a text', { status: 'suspended' }, { status: 'trial' }],
  ['one of several values of a number', { level: 3 }, { level: 1 }],
])('%s blocks every operation at me until an operator changes it', async (_, blocking, others) => {
  const ada = await newPerson();
  const id = await createRecord(ada);
  await setFields(id, blocking);
  for (const path of [ME, '/api/users/me'])
    for (const [method, body] of [
      ['GET'],
      ['POST', { name: 'Ada' }],
      ['PATCH', {}],
      ['PATCH', { name: 'Eve' }],
      ['DELETE'],
    ] as const)
      expect(await ada.send(path, { method, body }), `${method} ${path}`).toMatchObject(BLOCKED);
  for (const path of [`${ME}/data`, '/api/users/me/data']) expect(await ada.send(path), path).toMatchObject(BLOCKED);
  const token = (await newPerson()).authorization.replace('Bearer ', '');
  for (const [path, body] of [
    [`${ME}/sign-in`, {}],
    [`${ME}/logins`, { token }],
  ] as const)
    expect(await ada.send(path, { method: 'POST', body }), path).toMatchObject(BLOCKED);
  expect(await ada.send(ME, { method: 'HEAD' })).toMatchObject({ status: 403 });
  for (const query of [
    '{ me { id } }',
    'mutation { createMe(input: { name: "Eve" }) { me { id } } }',
    'mutation { signIn { outcome } }',
    `mutation { addLogin(input: { token: "${token}" }) { me { id } } }`,
    'mutation { updateMe(input: { name: "Eve" }) { me { id } } }',
    'mutation { deleteMe { id } }',
  ])
    expect(await ada.graphql(query), query).toMatchObject(GRAPHQL_BLOCKED);
  const stream = await ada.send('/graphql', {
    method: 'POST',
    body: { query: 'subscription { meChanged { cursor } }' },
    headers: { accept: 'text/event-stream' },
  });
  expect(stream.body).toMatchObject(GRAPHQL_BLOCKED);
  const operator = await newOperator();
  expect(await operator.send(`/v1/users/${id}`)).toMatchObject({ status: 200, body: { name: 'Ada', ...blocking } });
  await setFields(id, { ...others, plan: 'suspended' });
  expect(await ada.send(ME)).toMatchObject({ status: 200, body: { name: 'Ada' } });
  expect(await ada.send(ME, { method: 'PATCH', body: { name: 'Ada King' } })).toMatchObject({ status: 200 });
});

test('a sign-in does not link a blocked record that waits', async () => {
  vi.stubEnv('SELF_LINK', 'verified-email');
  const ada = await newPerson();
  const operator = await newOperator();
  const waiting = { name: 'Ada', email: ada.email, status: 'suspended' };
  const { body } = await operator.send('/v1/users', { method: 'POST', body: waiting });
  const signIn = () => ada.send(`${ME}/sign-in`, { method: 'POST', body: { name: 'Eve' } });
  expect(await signIn()).toMatchObject(BLOCKED);
  await setFields((body as { id: string }).id, { status: 'active' });
  expect(await signIn()).toMatchObject({ status: 200, body: { id: (body as { id: string }).id, name: 'Ada' } });
});

test('an open stream ends at the block without showing it, and a stream after the block does not repeat it', async () => {
  const error = vi.spyOn(console, 'error');
  const ada = await newPerson();
  const id = await createRecord(ada);
  const changes = await follow(ada, new Date(Date.now() - 60_000).toISOString());
  const { value: created } = await changes.next();
  expect(created).toMatchObject({ kind: 'CREATED' });
  await setFields(id, { status: 'suspended', name: 'Secret' });
  await expect(changes.next()).rejects.toMatchObject({ code: 'BLOCKED', status: 403 });
  expect(error).not.toHaveBeenCalled();
  await setFields(id, { status: 'active', name: 'Ada' });
  const resumed = await follow(ada, created?.cursor);
  expect((await resumed.next()).value).toMatchObject({ kind: 'UPDATED', me: { name: 'Ada', version: 3 } });
  await resumed.return(undefined);
});

describe("the function of Cognito's sign-in", () => {
  const signIn = (sub: string, userAttributes: object = { sub }) =>
    handler({
      ...{ version: '2', triggerSource: 'TokenGeneration_RefreshTokens', userName: sub },
      ...{ callerContext: { clientId: 'app' }, request: { userAttributes, groupConfiguration: {} } },
    } as Parameters<typeof handler>[0]);
  const tokens = { response: { claimsAndScopeOverrideDetails: { accessTokenGeneration: {} } } };

  test('rejects a blocked person, and nobody else', async () => {
    const [ada, stranger] = [await newPerson(), await newPerson()];
    const id = await createRecord(ada);
    expect(await signIn(ada.subject)).toMatchObject(tokens);
    expect(await signIn(stranger.subject)).toMatchObject(tokens);
    await setFields(id, { status: 'suspended' });
    await expect(signIn(ada.subject)).rejects.toThrow('The person is blocked');
    expect(await signIn(stranger.subject)).toMatchObject(tokens);
    await setFields(id, { status: 'active' });
    expect(await signIn(ada.subject)).toMatchObject(tokens);
  });

  test('reads the claim that the setting subjectClaim names', async () => {
    const ada = await newPerson();
    await setFields(await createRecord(ada), { status: 'suspended' });
    const other = { sub: 'another subject' };
    expect(await signIn(ada.subject, other)).toMatchObject(tokens);
    vi.stubEnv('SUBJECT_CLAIM', 'username');
    await expect(signIn(ada.subject, other)).rejects.toThrow('The person is blocked');
    vi.stubEnv('SUBJECT_CLAIM', 'sub');
  });

  test('lets people sign in when the read fails', async () => {
    const { table } = await import('../../../../lib/dynamodb/client.ts');
    const ada = await newPerson();
    await setFields(await createRecord(ada), { status: 'suspended' });
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const send = vi.spyOn(table, 'send').mockRejectedValue(new Error('The table does not answer'));
    const answer = await signIn(ada.subject);
    send.mockRestore();
    expect(answer).toMatchObject(tokens);
    expect(error).toHaveBeenCalledWith(expect.objectContaining({ event: 'block not checked' }));
  });
});

test("Auth0's recipe denies a blocked person, and nobody else", async () => {
  const section = readFileSync('lib/features/me/providers.md', 'utf8')
    .split(/^## /m)
    .find((each) => each.startsWith('Auth0'));
  const code = findCodeBlocks(section ?? '', 'js')[1]?.replace('https://API', service.url) ?? '';
  const access_token = await issuer.sign({ sub: 'action', groups: ['users-write'], scope: 'users:read' });
  const fetchOrSign = async (url: string, options: RequestInit) =>
    url === 'https://company.eu.auth0.com/oauth/token' ? Response.json({ access_token }) : fetch(url, options);
  const exports: { onExecutePostLogin?: (event: object, api: object) => Promise<void> } = {};
  runInContext(code, createContext({ exports, fetch: fetchOrSign, AbortSignal, console }));
  const deny = vi.fn();
  const signIn = ({ subject }: Person) =>
    exports.onExecutePostLogin?.(
      {
        secrets: { DOMAIN: 'company.eu.auth0.com', CLIENT_ID: 'id', CLIENT_SECRET: 'secret' },
        user: { user_id: subject },
      },
      { access: { deny }, cache: new Map() },
    );
  const [ada, stranger] = [await newPerson(), await newPerson()];
  const id = await createRecord(ada);
  await signIn(ada);
  await signIn(stranger);
  expect(deny).not.toHaveBeenCalled();
  await setFields(id, { status: 'suspended' });
  await signIn(ada);
  expect(deny).toHaveBeenCalledWith('Your account is suspended.');
});
