import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { call, createApiClients, newUser } from './apis.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

const apis = createApiClients(() => service.url);

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
});
startServiceBeforeAll();
afterEach(() => vi.unstubAllEnvs());

const sign = async (claims: object) => `Bearer ${await issuer.sign(claims)}`;
const graphql = async (claims: object, query: string, variables: object = {}) =>
  call(`${service.url}/graphql`, await sign(claims), { body: { query, variables } });

const isForbidden = ({ status, body }: { status: number; body: unknown }) =>
  status === 403 || JSON.stringify(body).includes('"FORBIDDEN"');

describe.each(Object.values(apis))('with groups, $name', ({ read, write }) => {
  const stubGroups = (groups: { AUTH_READ_GROUP?: string; AUTH_WRITE_GROUP?: string; AUTH_GROUPS_CLAIM?: string }) => {
    for (const [name, value] of Object.entries(groups)) vi.stubEnv(name, value);
  };

  test.each([
    ['nobody in a group', {}, false],
    ['members of other groups', { groups: ['customers', 'not editors'] }, false],
    ['members of a group with a longer name', { groups: ['editors of posts'] }, false],
    ['members of a group that is named in one text with others', { groups: 'readers editors' }, false],
    ['members', { groups: ['customers', 'editors'] }, true],
    ['members of one group, named as a text', { groups: 'editors' }, true],
    ['a client that acts on its own behalf', { sub: 'nightly', client_id: 'nightly' }, true],
    ['people who sign in with a client', { sub: 'ada', client_id: 'nightly' }, false],
    ['a client of Keycloak or Okta that is named by azp', { sub: 'nightly', azp: 'nightly' }, true],
    ['a client of Auth0', { sub: 'nightly@clients', azp: 'nightly' }, true],
    ['a client of Auth0 without azp', { sub: 'nightly@clients' }, true],
    ['a client with the grant of Auth0', { sub: 'x', gty: 'client-credentials' }, true],
    ['a client with the type of Entra ID', { sub: 'x', azp: 'nightly', idtyp: 'app' }, true],
    ['people who sign in with a client that azp names', { sub: 'ada', azp: 'nightly' }, false],
    ['a person of Entra ID', { sub: 'x', azp: 'nightly', idtyp: 'user' }, false],
    ['a person who took a name like that of a client', { sub: 'ada@clients', azp: 'web' }, false],
    ['a person of a connection whose names end with @clients', { sub: 'samlp|company|ada@clients' }, false],
    ['a person with another grant', { sub: 'ada', gty: 'password' }, false],
    ['a token without a subject', { sub: undefined, client_id: 'nightly' }, false],
    ['a token without a subject and clients', { sub: undefined }, false],
  ])('lets %s write: %o, %s', async (_, claims, isAllowed) => {
    stubGroups({ AUTH_WRITE_GROUP: 'editors' });
    const answer = await write(await sign(claims));
    expect(isForbidden(answer)).toBe(!isAllowed);
    if (!isAllowed) expect(JSON.stringify(answer.body)).toContain('This requires membership of the group editors');
    // A read needs no group, because AUTH_WRITE_GROUP limits writes only.
    expect(await read(await sign(claims))).toMatchObject({ status: 200 });
  });

  test('reads groups from the configured claim', async () => {
    stubGroups({ AUTH_WRITE_GROUP: 'editors', AUTH_GROUPS_CLAIM: 'cognito:groups' });
    expect(isForbidden(await write(await sign({ groups: ['editors'] })))).toBe(true);
    expect(isForbidden(await write(await sign({ 'cognito:groups': ['editors'] })))).toBe(false);
  });

  test('a group does not replace the scope', async () => {
    stubGroups({ AUTH_WRITE_GROUP: 'editors' });
    expect(isForbidden(await write(await sign({ groups: ['editors'], scope: 'users:read' })))).toBe(true);
  });

  test('lets members of the read group and the write group read', async () => {
    stubGroups({ AUTH_READ_GROUP: 'readers', AUTH_WRITE_GROUP: 'editors' });
    const answers = await Promise.all(
      [[], ['customers'], ['readers'], ['editors']].map(async (groups) => read(await sign({ groups }))),
    );
    expect(answers.map(isForbidden)).toEqual([true, true, false, false]);
  });
});

describe.each(Object.values(apis))('$name', ({ read, write }) => {
  test.each([
    ['an empty subject', { sub: '' }],
    ['an empty subject and client', { sub: '', client_id: '', azp: '' }],
    ['a subject of spaces', { sub: ' ' }],
    ['an empty subject of a client', { sub: '', gty: 'client-credentials', client_id: 'nightly' }],
  ])('rejects a token with %s', async (_, claims) => {
    for (const send of [read, write]) {
      const answer = await send(await sign(claims));
      expect(answer.status).toBe(403);
      expect(JSON.stringify(answer.body)).toContain('The claim sub of the token must not be empty');
    }
  });
});

test('a 403 for a missing group has the body and the challenge of an authorizer', async () => {
  vi.stubEnv('AUTH_WRITE_GROUP', 'editors');
  expect(await apis.rest.write(await sign({}))).toMatchObject({
    status: 403,
    challenge: 'Bearer error="insufficient_scope"',
    body: { message: 'This requires membership of the group editors' },
  });
});

describe('erasing and reading histories', () => {
  const ALL = 'users:read users:write users:history users:erase';
  const createUser = async () => {
    const mutation = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }';
    const { body } = await graphql({}, mutation, { input: newUser() });
    return (body as { data: { createUser: { user: { id: string } } } }).data.createUser.user.id;
  };
  const erase = 'mutation ($id: ID!) { deleteUser(input: { id: $id, erase: true }) { id } }';
  const eraseMany =
    'mutation ($id: ID!) { deleteUsers(input: { users: [{ id: $id, erase: true }] }) { results { error { code } } } }';
  const history = 'query ($id: ID!) { userHistory(id: $id) { edges { node { kind } } } }';

  test.each([
    ['a user', erase],
    ['users', eraseMany],
  ])('erasing %s requires the scopes users:write and users:erase', async (_, query) => {
    const id = await createUser();
    for (const scope of ['users:read users:write users:history', 'users:read users:erase'])
      expect(isForbidden(await graphql({ scope }, query, { id })), scope).toBe(true);
    expect(await graphql({}, `{ user(id: "${id}") { id } }`)).toMatchObject({ body: { data: { user: { id } } } });
    expect(isForbidden(await graphql({ scope: ALL }, query, { id }))).toBe(false);
    expect(await graphql({}, `{ user(id: "${id}") { id } }`)).toMatchObject({ body: { data: { user: null } } });
  });

  test('a history requires the scopes users:read and users:history', async () => {
    const id = await createUser();
    expect(isForbidden(await graphql({ scope: 'users:history' }, history, { id }))).toBe(true);
    const answer = await graphql({ scope: 'users:read users:write users:erase' }, history, { id });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        errors: [{ message: 'This requires the scope users:history', extensions: { code: 'FORBIDDEN' } }],
      },
    });
    expect(isForbidden(await graphql({ scope: ALL }, history, { id }))).toBe(false);
  });

  test('erase and history can use the scopes for write and read', async () => {
    vi.stubEnv('AUTH_HISTORY_SCOPE', 'users:read');
    vi.stubEnv('AUTH_ERASE_SCOPE', 'users:write');
    const id = await createUser();
    expect(isForbidden(await graphql({}, history, { id }))).toBe(false);
    expect(isForbidden(await graphql({}, erase, { id }))).toBe(false);
  });
});

describe('with a scope for lists, a token without it', () => {
  const READ = { scope: 'users:read' };
  const LIST = { scope: 'users:read users:list' };
  const rest = async (claims: object, path: string) => call(`${service.url}${path}`, await sign(claims));

  test.each([
    '/v1/users',
    '/api/users',
    '/v1/users?page=2&limit=1',
    '/api/users?q=ada',
    '/v1/users?limit=1&after=01890000-0000-7000-8000-000000000000',
  ])('cannot GET %s', async (path) => {
    vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
    expect(await rest(READ, path)).toMatchObject({
      status: 403,
      challenge: 'Bearer error="insufficient_scope", scope="users:list"',
      body: { message: 'This requires the scope users:list' },
    });
    expect(await rest(LIST, path)).toMatchObject({ status: 200 });
  });

  test('can look up users by id, email or unique value', async () => {
    vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
    expect(await rest(READ, '/v1/users?email=ada@example.com')).toMatchObject({ status: 200, body: [] });
    expect(await rest(READ, '/v1/users/01890000-0000-7000-8000-000000000000')).toMatchObject({ status: 404 });
    expect(isForbidden(await graphql(READ, '{ userByEmail(email: "ada@example.com") { id } }'))).toBe(false);
    expect(await rest(READ, '/v1/users?email=ada@example.com&q=ada')).toMatchObject({ status: 403 });
    expect(await rest(LIST, '/v1/users?email=ada@example.com&q=ada')).toMatchObject({ status: 200, body: [] });
  });

  test('cannot list users or follow all changes in GraphQL', async () => {
    vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
    for (const query of ['{ users { totalCount } }', '{ users(search: "ada") { edges { node { id } } } }']) {
      expect(isForbidden(await graphql(READ, query)), query).toBe(true);
      expect(isForbidden(await graphql(LIST, query)), query).toBe(false);
    }
    const headers = { accept: 'text/event-stream' };
    const body = { query: 'subscription { userChanged { kind } }' };
    expect(await call(`${service.url}/graphql`, await sign(READ), { body, headers })).toMatchObject({
      status: 403,
      body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    });
  });
});
