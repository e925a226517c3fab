import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { createContext } from '../../../infra/local/runtime.ts';
import { createPost } from '../../../lib/posts/create.ts';
import { createUser } from '../../../lib/users/create.ts';
import { queryUsers } from '../../../lib/users/directory.ts';
import type { User } from '../../../lib/users/schema.ts';
import { createGraphqlEvent, createRestEvent, type RequestOptions } from '../../setup/event.ts';

/** A request whose cost is measured, and how many changes it makes that `on-change` tells of. */
export type Operation = { name: string; door: 'REST' | 'GraphQL'; changes: number; run(): Promise<unknown> };

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

const person = () => ({ name: 'Grace Hopper', email: `${randomUUID()}@example.com` });

/** Sends a request to the function of that name, and takes nothing but success. */
async function call(name: string, event: APIGatewayProxyEventV2): Promise<void> {
  // What the module of a function exports; without Lambda's global that of GraphQL answers whole, too.
  const { handler } = (await import(`../../../functions/${name}.ts`)) as { handler: Handler };
  const { statusCode = 200, body = '' } = await handler(event, createContext());
  if (statusCode >= 400 || body.startsWith('{"errors"')) throw new Error(`${name} answers ${statusCode}: ${body}`);
}

const METHODS: Record<string, string> = { create: 'POST', replace: 'PUT', update: 'PATCH', delete: 'DELETE' };

function rest(functionName: string, name: string, sent: RequestOptions, path = '/v1/users'): Operation {
  const method = METHODS[functionName.replace(/-users?$/, '')] ?? 'GET';
  const changes = method === 'GET' ? 0 : 1;
  return { name, door: 'REST', changes, run: () => call(functionName, createRestEvent(method, path, sent)) };
}

const graphql = (document: string, changes = 0): Operation => ({
  name: `\`${document.replaceAll(/"[^"]*"/g, '…')}\``,
  door: 'GraphQL',
  changes,
  run: () => call('graphql', createGraphqlEvent('POST', { body: { query: document } })),
});

const POSTS = 10;

/** Whom the requests are about. The old ones are indexed in the blocks that nobody writes to any more, as most are. */
export type Cast = { users: [User, User]; author: User; leaver: User; posts: string[]; changes: number };

/** Also says how many changes that made. */
export async function createCast(): Promise<Cast> {
  const users: [User, User] = [await createUser(person()), await createUser(person())];
  const [author, leaver] = (await queryUsers(undefined, 2)).users;
  if (!author || !leaver) throw new Error('The directory is empty');
  const posts: string[] = [];
  for (let at = 0; at < POSTS; at++)
    posts.push((await createPost({ authorId: author.id, title: 'On the Analytical Engine' }, 'bench')).id);
  return { users, author, leaver, posts, changes: users.length + posts.length };
}

/** Every REST operation, with what makes its cost vary. `count` is how many users there are. */
export function restOperations({ users: [one, another], leaver }: Cast, count: number): Operation[] {
  const page = (number: number) => ({ query: { page: String(number), limit: '100' } });
  return [
    rest('list-users', 'list, `/v1/users`: first page of 100', page(1)),
    rest('list-users', 'list, `/v1/users`: page in the middle', page(Math.ceil(count / 200))),
    rest('list-users', 'list, `/v1/users`: last page', page(Math.floor(count / 100))),
    rest('list-users', 'list, `/api/users`: 1000 users', {}, '/api/users'),
    rest('list-users', 'list, `?email=`', { query: { email: one.email } }),
    rest('get-user', 'get', { id: one.id }),
    rest('create-user', 'create', { body: person() }),
    rest('create-user', 'create, with Idempotency-Key', { body: person(), headers: { 'idempotency-key': 'once' } }),
    rest('replace-user', 'replace, address kept', { id: one.id, body: { name: 'Ada', email: one.email } }),
    rest('replace-user', 'replace, address changed', { id: another.id, body: person() }),
    rest('update-user', 'update, name', { id: one.id, body: { name: 'Ada King' } }),
    rest('update-user', 'update, address', { id: another.id, body: { email: person().email } }),
    rest('delete-user', 'delete', { id: leaver.id }),
  ];
}

export function graphqlOperations({ users: [one], author, posts: [post = '', other = ''] }: Cast): Operation[] {
  const mutation = (name: string, input: string, selection: string): Operation => ({
    ...graphql(`mutation { ${name}(input: { ${input} }) { ${selection} } }`, 1),
    name: `\`${name}\``,
  });
  return [
    graphql(`{ user(id: "${one.id}") { name } }`),
    graphql(`{ user(id: "${author.id}") { posts { title } } }`),
    graphql(`{ userByEmail(email: "${one.email}") { name } }`),
    graphql('{ users(first: 20) { edges { node { name } } } }'),
    graphql('{ users(first: 20) { totalCount edges { node { name } } } }'),
    graphql('{ users(first: 20) { edges { node { posts { title } } } } }'),
    graphql(`{ post(id: "${post}") { title author { name } } }`),
    mutation('createUser', `name: "Grace Hopper", email: "${person().email}"`, 'user { id }'),
    mutation('updateUser', `id: "${one.id}", name: "Ada"`, 'user { version }'),
    mutation('createPost', `authorId: "${author.id}", title: "On Engines"`, 'post { id }'),
    mutation('updatePost', `id: "${post}", title: "On Engines"`, 'post { id }'),
    mutation('publishPost', `id: "${post}"`, 'post { publishedAt }'),
    mutation('deletePost', `id: "${other}"`, 'id'),
    {
      ...mutation('deleteUser', `id: "${author.id}"`, 'id'),
      name: `\`deleteUser\`, with ${POSTS} posts`,
      // Its own, and those of its posts: one was created and one deleted since.
      changes: 1 + POSTS,
    },
  ];
}
