import { OperationTypeNode } from 'graphql';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ALL_RIGHTS, type Right } from '../../../lib/auth/caller.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const RECENT = new Date(Date.now() - 60_000).toISOString();

/** All root fields, and all arguments that need a further right. No document changes a user. */
const documents: [document: string, ...scopes: Right[]][] = [
  [`{ user(id: "${ID}") { id } }`, 'read'],
  [`{ usersByIds(ids: ["${ID}"]) { id } }`, 'read'],
  ['{ usersByEmails(emails: ["nobody@example.com"]) { id } }', 'read'],
  ['{ userByEmail(email: "nobody@example.com") { id } }', 'read'],
  [`{ post(id: "${ID}") { author { posts { id } } } }`, 'read'],
  [`{ erasure(id: "${ID}") { by } }`, 'read'],
  ['{ users(first: 1) { edges { node { id } } } }', 'read', 'list'],
  ['{ users(search: "ada") { totalCount } }', 'read', 'list'],
  ['{ userChanges(first: 1) { nodes { user { id } } } }', 'read', 'list'],
  [`{ userHistory(id: "${ID}") { edges { node { by } } } }`, 'read', 'history'],
  ['{ deletedUsers(first: 1) { nodes { by } } }', 'read', 'list', 'history'],
  ['mutation { createUser(input: { name: "", email: "" }) { user { id } } }', 'write'],
  ['mutation { createUsers(input: { users: [] }) { results { user { id } } } }', 'write'],
  [`mutation { replaceUser(input: { id: "${ID}", name: "Ada", email: "a@example.com" }) { user { id } } }`, 'write'],
  [`mutation { updateUser(input: { id: "${ID}" }) { user { posts { id } } } }`, 'write'],
  [`mutation { updateUsers(input: { users: [{ id: "${ID}" }] }) { results { error { code } } } }`, 'write'],
  ['mutation { upsertUsers(input: { users: [] }) { results { outcome } } }', 'write'],
  [`mutation { deleteUser(input: { id: "${ID}" }) { id } }`, 'write'],
  [`mutation { deleteUser(input: { id: "x", erase: true }) { id } }`, 'write', 'erase'],
  [`mutation { deleteUsers(input: { users: [{ id: "${ID}" }] }) { results { error { code } } } }`, 'write'],
  [
    'mutation { deleteUsers(input: { users: [{ id: "x", erase: true }] }) { results { error { code } } } }',
    'write',
    'erase',
  ],
  [`mutation { restoreUser(input: { id: "${ID}" }) { user { id } } }`, 'read', 'write', 'history'],
  [`mutation { mergeUsers(input: { keep: "${ID}", remove: "${ID}" }) { user { id } } }`, 'write'],
  [`mutation { undoMerge(input: { id: "${ID}" }) { kept { id } } }`, 'read', 'write', 'history'],
  [`mutation { createPost(input: { authorId: "${ID}", title: "x" }) { post { id } } }`, 'write'],
  [`mutation { updatePost(input: { id: "${ID}" }) { post { id } } }`, 'write'],
  [`mutation { publishPost(input: { id: "${ID}" }) { post { id } } }`, 'write'],
  [`mutation { deletePost(input: { id: "${ID}" }) { id } }`, 'write'],
  ['subscription { userChanged { user { id } } }', 'read', 'list'],
  [`subscription { userChanged(id: null) { kind } }`, 'read', 'list'],
  [`subscription { userChanged(id: "${ID}", after: "${RECENT}") { user { id } } }`, 'read'],
  [`subscription { postChanged(authorId: "${ID}") { post { id } } }`, 'read'],
];

/** All rights except one, for each right, and no rights. */
const incompleteSets: Right[][] = [...ALL_RIGHTS.map((right) => ALL_RIGHTS.filter((other) => other !== right)), []];

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
});
startServiceBeforeAll();

/** Call this after the service has loaded its functions, which read the token settings on import. */
const loadSchema = () => import('../../../lib/graphql/schema/schema.ts');

async function send(query: string, token = '', init: object = {}): Promise<{ status: number; text: string }> {
  const accept = query.startsWith('subscription') ? 'text/event-stream' : 'application/json';
  const client = new AbortController();
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, ...init }),
    signal: client.signal,
  });
  const { status, headers } = response;
  const text = headers.get('content-type')?.startsWith('text/event-stream') ? '' : await response.text();
  client.abort();
  return { status, text };
}

const signRights = (rights: readonly Right[]) =>
  issuer.sign({ scope: rights.map((right) => `users:${right}`).join(' ') });

const isForbidden = ({ text }: { text: string }) => text.includes('"FORBIDDEN"');

describe('the rights of root fields', () => {
  test.each(documents)(
    '%s is allowed with all of its scopes, and forbidden without one',
    async (query, ...required) => {
      for (const set of [required, [...ALL_RIGHTS], ...incompleteSets]) {
        const answer = await send(query, await signRights(set));
        const isAllowed = required.every((right) => set.includes(right));
        expect(isForbidden(answer), `${set} ${answer.text}`).toBe(!isAllowed);
        // A bulk mutation returns 200 with an error per item.
        if (!isAllowed && !answer.text.includes('"results":[')) expect(answer.status, `${set}`).toBe(403);
      }
    },
  );

  test('every root field of the schema has a document here', async () => {
    const { schema } = await loadSchema();
    const fields = Object.values(OperationTypeNode).flatMap((kind) =>
      Object.keys(schema.getRootType(kind)?.getFields() ?? {}).map((name) => `${kind} ${name}`),
    );
    const tested = documents.map(([query]) => {
      const [, kind = 'query', name] = /^(\w+)? ?\{ (\w+)/.exec(query) ?? [];
      return `${kind} ${name}`;
    });
    expect(fields.filter((field) => !tested.includes(field))).toEqual([]);
  });

  test('a schema with a root field without rights does not load', async () => {
    const { schema, checkRights } = await loadSchema();
    const field = schema.getQueryType()?.getFields().userByEmail ?? expect.fail();
    const { resolve } = field;
    field.resolve = () => undefined;
    expect(() => checkRights(schema)).toThrow('The query userByEmail has no rights: use withRights');
    Object.assign(field, { resolve });
  });
});

describe('a reader without the right to list', () => {
  const scopes = ['users:read', 'users:write'];
  const sendAs = async (query: string, init?: object) =>
    send(query, await issuer.sign({ scope: scopes.join(' ') }), init);

  test.each([
    ['an alias', '{ user: users { totalCount } }'],
    ['a fragment', '{ ...All } fragment All on Query { users { totalCount } }'],
    ['an inline fragment', '{ ... on Query { ... { users { totalCount } } } }'],
    ['a directive', '{ users @include(if: true) { totalCount } }'],
    [
      'another operation of the document',
      'mutation Write { deleteUser(input: { id: "x" }) { id } } query List { users { totalCount } }',
    ],
  ])('cannot list through %s', async (_, query) => {
    const answer = await sendAs(query, query.includes('List') ? { operationName: 'List' } : {});
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('users:list');
  });

  test('follows one user by a variable, but cannot follow all users by null or an unset variable', async () => {
    const query = `subscription ($id: ID) { userChanged(id: $id, after: "${RECENT}") { kind } }`;
    expect((await sendAs(query, { variables: { id: ID } })).status).toBe(200);
    expect((await sendAs(query, { variables: { id: null } })).status).toBe(403);
    expect((await sendAs(query)).status).toBe(403);
  });

  test('gets 200 if an allowed field is null', async () => {
    const answer = await sendAs(`mutation {
      allowed: deleteUser(input: { id: "${ID}" }) { id }
      forbidden: deleteUser(input: { id: "${ID}", erase: true }) { id }
    }`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({
      data: { allowed: null, forbidden: null },
      errors: [
        { path: ['allowed'], extensions: { code: 'NOT_FOUND' } },
        { path: ['forbidden'], extensions: { code: 'FORBIDDEN' } },
      ],
    });
  });

  test('gets no data if a forbidden field cannot be null', async () => {
    const answer = await sendAs(`{ user(id: "${ID}") { id } userHistory(id: "${ID}") { edges { node { by } } } }`);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({
      data: null,
      errors: [{ path: ['userHistory'], extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('gets the allowed fields of a request with a forbidden field', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const answer = await sendAs(`mutation {
      createUser(input: { name: "Ada", email: "${email}" }) { user { email } }
      deleteUser(input: { id: "${ID}", erase: true }) { id }
    }`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({
      data: { createUser: { user: { email } }, deleteUser: null },
      errors: [
        { path: ['deleteUser'], extensions: { code: 'FORBIDDEN', challenge: expect.stringContaining('users:erase') } },
      ],
    });
  });
});

test('a token without scopes can only read the schema', async () => {
  const token = await issuer.sign({ scope: undefined });
  expect(await send('{ __typename __schema { queryType { name } } }', token)).toMatchObject({ status: 200 });
  expect(await send(`{ user(id: "${ID}") { id } }`, token)).toMatchObject({ status: 403 });
});
