import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createPost } from '../../../lib/posts/write.ts';
import { queryUsers } from '../../../lib/users/directory.ts';
import type { User } from '../../../lib/users/user.ts';
import { updateUser } from '../../../lib/users/write.ts';
import { createUser } from '../../../test/setup/create-user.ts';
import { createGraphqlEvent, createRestEvent, type RequestOptions } from '../../../test/setup/event.ts';
import { newPerson } from '../../../test/setup/test-data.ts';
import { createContext } from '../../local/runtime.ts';

export type Operation = { name: string; api: 'REST' | 'GraphQL'; changes: number; run(): Promise<unknown> };

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

async function call(name: string, event: APIGatewayProxyEventV2): Promise<void> {
  // GraphQL returns a complete response, because Lambda's global `awslambda` is missing.
  const { handler } = (await import(`../../../functions/${name}.ts`)) as { handler: Handler };
  const { statusCode = 200, body = '' } = await handler(event, createContext());
  if (statusCode >= 400 || body.startsWith('{"errors"')) throw new Error(`${name} returned ${statusCode}: ${body}`);
}

const METHODS: Record<string, string> = { create: 'POST', replace: 'PUT', update: 'PATCH', delete: 'DELETE' };

export function rest(functionName: string, name: string, options: RequestOptions, path = '/v1/users'): Operation {
  const method = METHODS[functionName.replace(/-users?$/, '')] ?? 'GET';
  const changes = method === 'GET' ? 0 : 1;
  return { name, api: 'REST', changes, run: () => call(functionName, createRestEvent(method, path, options)) };
}

const upsert = (name: string, body: { name: string; email: string }, changes: number): Operation => ({
  ...{ name, api: 'REST', changes },
  run: () => call('replace-user', createRestEvent('PUT', '/v1/users', { query: { email: body.email }, body })),
});

export const graphql = (document: string, changes = 0): Operation => ({
  name: `\`${document.replaceAll(/"[^"]*"/g, '…')}\``,
  api: 'GraphQL',
  changes,
  run: () => call('graphql', createGraphqlEvent('POST', { body: { query: document } })),
});

const POSTS = 10;
/** Changes of one user: more than one page of history. */
const VERSIONS = 20;
/** Users with search entries, which users of infra/bench/load.ts lack. More than one page of 20. */
const LISTED = 30;
const BATCH = 10;

/** `author` and `oldUser` are in full blocks of the page index, like most users: their deletion has the usual cost. */
export type TestData = {
  users: [User, User];
  author: User;
  oldUser: User;
  changed: User;
  posts: string[];
  batch: User[];
  changes: number;
};

export async function createTestData(): Promise<TestData> {
  const users: [User, User] = [await createUser(newPerson()), await createUser(newPerson())];
  const [author, oldUser] = (await queryUsers(undefined, 2)).users;
  if (!author || !oldUser) throw new Error('The directory is empty');
  const changed = await createUser(newPerson());
  for (let at = 0; at < VERSIONS; at++) await updateUser({ id: changed.id, name: `Ada ${at}` }, 'sub:bench');
  const batch: User[] = [];
  for (let at = 0; at < BATCH; at++) batch.push(await createUser(newPerson()));
  for (let at = 0; at < LISTED; at++) await createUser(newPerson());
  const posts: string[] = [];
  for (let at = 0; at < POSTS; at++)
    posts.push((await createPost({ authorId: author.id, title: 'On the Analytical Engine' }, 'bench')).id);
  const changes = users.length + 1 + VERSIONS + posts.length + batch.length + LISTED;
  return { users, author, oldUser, changed, posts, batch, changes };
}

/** Users with values of infra/bench/costs/fields.json. Others cost the same as without own fields. */
const USERS_WITH_VALUES = 1_000;
const FIRST_WITH_VALUES = 1_500;

export const createFields = (number: number) =>
  number >= FIRST_WITH_VALUES && number < FIRST_WITH_VALUES + USERS_WITH_VALUES
    ? { plan: 'pro', status: 'active' }
    : undefined;

const TWO_FILTERS = '?plan=pro&status=active';
const COUNT = { prefer: 'count=exact' };
const MINUTE_MS = 60_000;

export function restOperations({ users: [one, another], oldUser }: TestData, count: number): Operation[] {
  const page = (number: number) => ({ query: { page: String(number), limit: '100' } });
  const newestFirst = (number: number) => ({ query: { ...page(number).query, order: 'desc' } });
  const twoFilters = { query: { plan: 'pro', status: 'active', limit: '20' } };
  return [
    rest('list-users', 'list, `/v1/users`: first page of 100', page(1)),
    rest('list-users', 'list, `/v1/users`: page in the middle', page(Math.ceil(count / 200))),
    rest('list-users', 'list, `/v1/users`: last page', page(Math.floor(count / 100))),
    rest('list-users', 'list, `/api/users`: 1000 users', {}, '/api/users'),
    rest('list-users', 'list, `?order=desc`: page in the middle', newestFirst(Math.ceil(count / 200))),
    rest('list-users', 'list, `?email=`', { query: { email: one.email } }),
    rest('list-users', 'list, `?q=` of two words', { query: { q: one.name } }),
    rest('list-users', 'list, `?q=`', { query: { q: 'person', limit: '20' } }),
    rest('list-users', 'list, `?sort=name`: 20 users', { query: { sort: 'name', limit: '20' } }),
    rest('list-users', 'list, `?sort=name&order=desc`: 20 users', {
      query: { sort: 'name', order: 'desc', limit: '20' },
    }),
    rest('list-users', `list, \`${TWO_FILTERS}\`: 20 users`, twoFilters),
    rest(
      'list-users',
      `list, \`${TWO_FILTERS}\` with \`Prefer: count=exact\`: 20 of ${USERS_WITH_VALUES.toLocaleString('en')} users`,
      {
        ...twoFilters,
        headers: COUNT,
      },
    ),
    rest('list-users', 'list, `?createdAfter=` with `Prefer: count=exact`: 20 users', {
      query: { createdAfter: new Date(Date.now() - MINUTE_MS).toISOString(), limit: '20' },
      headers: COUNT,
    }),
    rest('get-user', 'get', { id: one.id }),
    rest('create-user', 'create', { body: newPerson() }),
    rest('create-user', 'create, with Idempotency-Key', { body: newPerson(), headers: { 'idempotency-key': 'once' } }),
    rest('replace-user', 'replace, address kept', { id: one.id, body: { name: 'Ada', email: one.email } }),
    rest('replace-user', 'replace, address changed', { id: another.id, body: newPerson() }),
    upsert('create or replace, `?email=` of a new user', newPerson(), 1),
    upsert('create or replace, equal values', { name: 'Ada', email: one.email }, 0),
    rest('update-user', 'update, name', { id: one.id, body: { name: 'Ada King' } }),
    rest('update-user', 'update, both words of the name', { id: one.id, body: { name: 'Grace Hopper' } }),
    rest('update-user', 'update, address', { id: another.id, body: { email: newPerson().email } }),
    rest('delete-user', 'delete', { id: oldUser.id }),
  ];
}

const formatNewUser = () => `{ name: "Grace Hopper", email: "${newPerson().email}" }`;

export function graphqlOperations({
  users: [one],
  author,
  changed,
  posts: [post = '', other = ''],
  batch,
}: TestData): Operation[] {
  const mutation = (name: string, input: string, selection: string): Operation => ({
    ...graphql(`mutation { ${name}(input: { ${input} }) { ${selection} } }`, 1),
    name: `\`${name}\``,
  });
  return [
    graphql(`{ user(id: "${one.id}") { name } }`),
    graphql(`{ user(id: "${author.id}") { posts { title } } }`),
    graphql(`{ userByEmail(email: "${one.email}") { name } }`),
    graphql('{ users(first: 20) { edges { node { name } } } }'),
    graphql('{ users(first: 20, search: "person") { edges { node { name } } } }'),
    graphql('{ users(first: 20) { totalCount edges { node { name } } } }'),
    graphql('{ users(first: 20) { edges { node { posts { title } } } } }'),
    graphql(`{ post(id: "${post}") { title author { name } } }`),
    graphql(
      `{ userHistory(id: "${changed.id}", first: ${VERSIONS}) { nodes { at by before { name } after { name } } } }`,
    ),
    graphql(`{ userChanges(first: ${VERSIONS}) { nodes { kind at user { name } } } }`),
    {
      ...graphql(`{ usersByIds(ids: [${batch.map(({ id }) => `"${id}"`).join(', ')}]) { name } }`),
      name: `\`usersByIds\`, of ${BATCH}`,
    },
    {
      ...graphql(`{ usersByEmails(emails: [${batch.map(({ email }) => `"${email}"`).join(', ')}]) { name } }`),
      name: `\`usersByEmails\`, of ${BATCH}`,
    },
    graphql(`{ erasure(id: "${changed.id}") { completedAt } }`),
    mutation('createUser', `name: "Grace Hopper", email: "${newPerson().email}"`, 'user { id }'),
    mutation('replaceUser', `id: "${one.id}", name: "Ada King", email: "${one.email}"`, 'user { version }'),
    mutation('updateUser', `id: "${one.id}", name: "Ada"`, 'user { version }'),
    {
      ...mutation(
        'createUsers',
        `users: [${Array.from({ length: BATCH }, formatNewUser).join(', ')}]`,
        'results { __typename }',
      ),
      name: `\`createUsers\`, of ${BATCH}`,
      changes: BATCH,
    },
    {
      ...mutation(
        'updateUsers',
        `users: [${batch.map(({ id }) => `{ id: "${id}", name: "Grace Hopper" }`).join(', ')}]`,
        'results { __typename }',
      ),
      name: `\`updateUsers\`, of ${BATCH}`,
      changes: BATCH,
    },
    {
      ...mutation(
        'upsertUsers',
        `users: [${Array.from({ length: BATCH }, formatNewUser).join(', ')}]`,
        'results { outcome }',
      ),
      name: `\`upsertUsers\`, of ${BATCH} new users`,
      changes: BATCH,
    },
    {
      ...mutation(
        'upsertUsers',
        `users: [${batch.map(({ email }) => `{ name: "Grace Hopper", email: "${email}" }`).join(', ')}]`,
        'results { outcome }',
      ),
      name: `\`upsertUsers\`, of ${BATCH} equal users`,
      changes: 0,
    },
    {
      ...mutation(
        'deleteUsers',
        `users: [${batch.map(({ id }) => `{ id: "${id}" }`).join(', ')}]`,
        'results { __typename }',
      ),
      name: `\`deleteUsers\`, of ${BATCH}`,
      changes: BATCH,
    },
    mutation('createPost', `authorId: "${author.id}", title: "On Engines"`, 'post { id }'),
    mutation('updatePost', `id: "${post}", title: "On Engines"`, 'post { id }'),
    mutation('publishPost', `id: "${post}"`, 'post { publishedAt }'),
    mutation('deletePost', `id: "${other}"`, 'id'),
    {
      ...mutation('deleteUser', `id: "${author.id}"`, 'id'),
      name: `\`deleteUser\`, with ${POSTS} posts`,
      changes: 1 + POSTS,
    },
    graphql('{ deletedUsers(first: 20) { nodes { at by user { name } } } }'),
    mutation('restoreUser', `id: "${author.id}"`, 'user { id }'),
    { ...mutation('mergeUsers', `keep: "${one.id}", remove: "${author.id}"`, 'user { id }'), changes: 2 },
    { ...mutation('undoMerge', `id: "${author.id}"`, 'kept { id } restored { id }'), changes: 2 },
  ];
}
