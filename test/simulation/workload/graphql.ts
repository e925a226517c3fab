import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createGraphqlEvent } from '../../setup/event.ts';
import type { Call, Outcome, Page, SeenPost, SeenUser } from './calls.ts';

const USER_FIELDS = 'id name email version createdAt updatedAt';
const USER = `user { ${USER_FIELDS} }`;
/** The author is another entity, which may be deleted between the write and the reading of it. */
const POST_FIELDS = 'id title publishedAt';
const POST = `post { ${POST_FIELDS} }`;
const CONNECTION = `totalCount edges { node { ${USER_FIELDS} } } pageInfo { hasNextPage endCursor }`;

const DOCUMENTS: Record<Call['kind'], string> = {
  create: `mutation ($input: CreateUserInput!) { result: createUser(input: $input) { ${USER} } }`,
  update: `mutation ($input: UpdateUserInput!) { result: updateUser(input: $input) { ${USER} } }`,
  delete: 'mutation ($input: DeleteUserInput!) { result: deleteUser(input: $input) { id } }',
  get: `query ($id: ID!) { ${USER.replace('user', 'user(id: $id)')} }`,
  find: `query ($email: String!) { ${USER.replace('user', 'user: userByEmail(email: $email)')} }`,
  list: `query ($first: Int, $order: SortOrder) { users(first: $first, order: $order) { ${CONNECTION} } }`,
  walk: `query ($first: Int, $order: SortOrder, $after: String) {
    users(first: $first, order: $order, after: $after) { ${CONNECTION.replace('totalCount', '')} } }`,
  search: `query ($first: Int, $text: String!, $after: String) {
    users(first: $first, search: $text, after: $after) { ${CONNECTION.replace('totalCount', '')} } }`,
  createPost: `mutation ($input: CreatePostInput!) { result: createPost(input: $input) { ${POST} } }`,
  updatePost: `mutation ($input: UpdatePostInput!) { result: updatePost(input: $input) { ${POST} } }`,
  publishPost: `mutation ($input: PublishPostInput!) { result: publishPost(input: $input) { ${POST} } }`,
  deletePost: 'mutation ($input: DeletePostInput!) { result: deletePost(input: $input) { id } }',
  getPost: `query ($id: ID!) { ${POST.replace('post', 'post(id: $id)')} }`,
  listPosts: `query ($id: ID!, $first: Int, $after: ID) {
    user(id: $id) { id posts(first: $first, after: $after) { ${POST_FIELDS} } } }`,
};

/** The event for a call, or for the page after it. */
export function toGraphqlEvent(call: Call, next?: Page['next']): APIGatewayProxyEventV2 {
  const variables = { ...toVariables(call), ...next };
  const caller = 'caller' in call && call.caller ? { caller: call.caller } : {};
  return createGraphqlEvent('POST', { body: { query: DOCUMENTS[call.kind], variables }, ...caller });
}

function toVariables(call: Call): object {
  switch (call.kind) {
    case 'get':
    case 'getPost':
      return { id: call.id };
    case 'find':
      return { email: call.email };
    case 'list':
    case 'walk':
      return { first: call.limit, order: call.order.toUpperCase() };
    case 'search':
      return { first: call.limit, text: call.text };
    case 'listPosts':
      return { id: call.id, first: call.limit };
    case 'create':
    case 'createPost': {
      const { kind, key, caller, ...input } = call;
      return { input: { ...input, ...(key ? { idempotencyKey: key } : {}) } };
    }
    default: {
      const { kind, ...input } = call;
      return { input };
    }
  }
}

type Post = Omit<SeenPost, 'authorId'>;
type Entities = { user?: (SeenUser & { posts?: Post[] }) | null; post?: Post | null };
type Connection = {
  totalCount?: number;
  edges: { node: SeenUser }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};
type Body = {
  data?: (Entities & { result?: Entities | null; users?: Connection }) | null;
  errors?: { message: string; extensions: { code: string } }[];
};

/** Throws for an answer that the contract does not have. */
export function readGraphqlResult(call: Call, { body = '' }: APIGatewayProxyStructuredResultV2): Page {
  const { data, errors } = JSON.parse(body) as Body;
  if (errors?.[0]) return { outcome: readError(errors[0]) };
  if (data?.users) return readConnection(call, data.users);
  const { user, post } = data?.result ?? data ?? {};
  if (call.kind === 'delete' || call.kind === 'deletePost') return { outcome: { code: 'OK' } };
  if (user?.posts) return readPosts(call, user.posts);
  if (user) return { outcome: { code: 'OK', user } };
  return { outcome: post ? { code: 'OK', post: addAuthor(post) } : { code: 'NOT_FOUND' } };
}

/** A post's id begins with its author's. */
const addAuthor = (post: Post): SeenPost => ({ ...post, authorId: post.id.slice(0, post.id.indexOf('.')) });

function readConnection(call: Call, { totalCount, edges, pageInfo }: Connection): Page {
  const users = edges.map(({ node }) => node);
  const { hasNextPage, endCursor } = pageInfo;
  const next = hasNextPage && endCursor !== null ? { after: endCursor } : undefined;
  if (call.kind === 'search') return { outcome: { code: 'OK', matches: users }, next };
  if (call.kind !== 'list' && call.kind !== 'walk') throw new Error(`users in the answer to ${call.kind}`);
  const { limit, order } = call;
  const outcome: Outcome = { code: 'OK', list: { users, total: totalCount, start: 0, limit, order } };
  return call.kind === 'walk' ? { outcome, next } : { outcome };
}

/** A page that is full may be followed by another one, after its last post. */
function readPosts(call: Call, posts: Post[]): Page {
  const last = posts.at(-1);
  const isFull = call.kind === 'listPosts' && call.limit !== undefined && posts.length >= call.limit;
  const outcome: Outcome = { code: 'OK', posts: posts.map(addAuthor) };
  return isFull && last ? { outcome, next: { after: last.id } } : { outcome };
}

function readError({ message, extensions: { code } }: { message: string; extensions: { code: string } }): Outcome {
  switch (code) {
    case 'SERVICE_UNAVAILABLE':
      return { code: 'UNKNOWN', why: '503' };
    case 'CONFLICT':
      return message.includes('Other requests are changing') ? { code: 'UNKNOWN', why: '409, busy' } : { code };
    case 'NOT_FOUND':
    case 'PRECONDITION_FAILED':
    case 'IDEMPOTENCY_KEY_REUSED':
      return { code };
    case 'BAD_USER_INPUT':
      if (message.includes('idempotency key')) return { code: 'IDEMPOTENCY_KEY_REUSED' };
  }
  throw new Error(`${code} ${message}`);
}
