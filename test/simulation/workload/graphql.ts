import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createGraphqlEvent } from '../../setup/event.ts';
import type { Call, Outcome, SeenPost, SeenUser } from './calls.ts';

const USER = 'user { id name email version }';
/** The author is another entity, which may be deleted between the write and the reading of it. */
const POST = 'post { id title publishedAt }';

const DOCUMENTS: Record<Call['kind'], string> = {
  create: `mutation ($input: CreateUserInput!) { result: createUser(input: $input) { ${USER} } }`,
  update: `mutation ($input: UpdateUserInput!) { result: updateUser(input: $input) { ${USER} } }`,
  delete: 'mutation ($input: DeleteUserInput!) { result: deleteUser(input: $input) { id } }',
  get: `query ($id: ID!) { ${USER.replace('user', 'user(id: $id)')} }`,
  find: `query ($email: String!) { ${USER.replace('user', 'user: userByEmail(email: $email)')} }`,
  list: 'query ($order: SortOrder) { users(first: 100, order: $order) { totalCount edges { node { id } } } }',
  search: 'query ($text: String!) { users(first: 100, search: $text) { totalCount edges { node { id name email } } } }',
  createPost: `mutation ($input: CreatePostInput!) { result: createPost(input: $input) { ${POST} } }`,
  updatePost: `mutation ($input: UpdatePostInput!) { result: updatePost(input: $input) { ${POST} } }`,
  publishPost: `mutation ($input: PublishPostInput!) { result: publishPost(input: $input) { ${POST} } }`,
  deletePost: 'mutation ($input: DeletePostInput!) { result: deletePost(input: $input) { id } }',
  getPost: `query ($id: ID!) { ${POST.replace('post', 'post(id: $id)')} }`,
};

export function toGraphqlEvent(call: Call): APIGatewayProxyEventV2 {
  const { kind, ...given } = call;
  const { key, ...input } = given as { key?: string };
  const isQuery = kind === 'get' || kind === 'find' || kind === 'getPost' || /^(list|search)$/.test(kind);
  const variables =
    kind === 'list'
      ? { order: call.order.toUpperCase() }
      : isQuery
        ? given
        : { input: { ...input, ...(key ? { idempotencyKey: key } : {}) } };
  return createGraphqlEvent('POST', { body: { query: DOCUMENTS[kind], variables } });
}

type Post = Omit<SeenPost, 'authorId'>;
type Entities = { user?: SeenUser | null; post?: Post | null };
type Body = {
  data?: (Entities & { result?: Entities; users?: { totalCount: number; edges: { node: SeenUser }[] } }) | null;
  errors?: { message: string; extensions: { code: string } }[];
};

/** Throws for an answer that the contract does not have. */
export function readGraphqlResult(call: Call, { body = '' }: APIGatewayProxyStructuredResultV2): Outcome {
  const { kind } = call;
  const { data, errors } = JSON.parse(body) as Body;
  if (errors?.[0]) return readError(errors[0]);
  if (data?.users && (call.kind === 'list' || call.kind === 'search')) {
    const { totalCount, edges } = data.users;
    if (call.kind === 'search') return { code: 'OK', matches: edges.map(({ node }) => node) };
    const ids = edges.map(({ node }) => node.id);
    return { code: 'OK', list: { ids, total: totalCount, start: 0, limit: 100, order: call.order } };
  }
  const { user, post } = data?.result ?? data ?? {};
  if (kind === 'delete' || kind === 'deletePost') return { code: 'OK' };
  if (user) return { code: 'OK', user };
  // A post's id begins with its author's.
  if (post) return { code: 'OK', post: { ...post, authorId: post.id.slice(0, post.id.indexOf('.')) } };
  return { code: 'NOT_FOUND' };
}

function readError({ message, extensions: { code } }: { message: string; extensions: { code: string } }): Outcome {
  switch (code) {
    case 'SERVICE_UNAVAILABLE':
      return { code: 'UNKNOWN', why: '503' };
    case 'CONFLICT':
      return message.includes('Other requests are changing') ? { code: 'UNKNOWN', why: '409, busy' } : { code };
    case 'NOT_FOUND':
    case 'PRECONDITION_FAILED':
      return { code };
    case 'BAD_USER_INPUT':
      if (message.includes('idempotency key')) return { code: 'IDEMPOTENCY_KEY_REUSED' };
  }
  throw new Error(`${code} ${message}`);
}
