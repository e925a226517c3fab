import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createGraphqlEvent, createRestEvent, type Query } from '../../setup/event.ts';
import { SMALL_SIZES } from '../options.ts';
import {
  type Api,
  type ApiCall,
  type Call,
  type Outcome,
  type Page,
  readKey,
  type SeenGroup,
  type SeenPost,
  type SeenUser,
} from './calls.ts';
import { formatMemberships, type Membership, parseMemberships, type Role } from './memberships.ts';
import { DEFAULTS, type OwnChanges } from './own-fields.ts';

export type RestFunction = 'create-user' | 'get-user' | 'list-users' | 'replace-user' | 'update-user' | 'delete-user';
type RestRequest = { name: RestFunction; event: APIGatewayProxyEventV2 };

const paths = { bare: '/v1/users', enveloped: '/api/users' };

/** Creates the REST event of a call. Undefined for posts and groups, which only GraphQL has. */
export function toRestEvent(call: Call, api: Api, next?: Page['next']): RestRequest | undefined {
  const path = api === 'bare' ? paths.bare : paths.enveloped;
  const list = (query: Query): RestRequest => ({
    name: 'list-users',
    event: createRestEvent('GET', path, { query: next ?? query }),
  });
  const limit = (count: number): Record<string, string> => (api === 'bare' ? { limit: String(count) } : {});
  switch (call.kind) {
    case 'create': {
      const { name, email, own, key } = call;
      const body = { name, email, ...toMembers(own) };
      const options = { headers: { 'idempotency-key': key }, body, ...readCaller(call) };
      return { name: 'create-user', event: createRestEvent('POST', path, options) };
    }
    case 'get':
      return { name: 'get-user', event: createRestEvent('GET', path, { id: call.id }) };
    case 'find':
      return list({ [call.field]: String(call.value) });
    case 'update':
    case 'replace': {
      const { id, name, email, own, ifVersion } = call;
      const options = {
        id,
        headers: ifMatch(ifVersion),
        body: { name, email, ...toMembers(own) },
        ...readCaller(call),
      };
      return call.kind === 'replace'
        ? { name: 'replace-user', event: createRestEvent('PUT', path, options) }
        : { name: 'update-user', event: createRestEvent('PATCH', path, options) };
    }
    case 'upsert': {
      const { field, name, email, own } = call;
      const options = {
        query: { [field]: String(readKey(call)) },
        body: { name, email, ...toMembers(own) },
        ...readCaller(call),
      };
      return { name: 'replace-user', event: createRestEvent('PUT', path, options) };
    }
    case 'delete': {
      const { id, ifVersion } = call;
      const options = { id, headers: ifMatch(ifVersion), ...readCaller(call) };
      return { name: 'delete-user', event: createRestEvent('DELETE', path, options) };
    }
    case 'search':
      return list({ q: call.text, ...limit(call.limit) });
    case 'walk':
      return list({ order: call.order, ...limit(call.limit) });
    case 'sort':
      return list({ sort: call.by, order: call.order, ...limit(call.limit) });
    case 'filter': {
      const { mottos, plan, by, order } = call;
      const filters = { motto: mottos, ...(plan ? { plan } : {}) };
      return list({ ...filters, order, ...(by ? { sort: by } : {}), ...limit(call.limit) });
    }
    case 'members': {
      const { groupId, role, order } = call;
      return list({ group: groupId, ...(role ? { role } : {}), order, ...limit(call.limit) });
    }
    case 'list':
      return list({
        order: call.order,
        ...limit(call.limit),
        ...(api === 'bare' ? { page: String(call.page) } : {}),
      });
    default:
      return undefined;
  }
}

const readCaller = (call: Call) => ('caller' in call && call.caller ? { caller: call.caller } : {});

const ifMatch = (version: number | undefined) => ({ 'if-match': version === undefined ? undefined : `"${version}"` });

const isMatching = ({ kind }: Call) => /^(sort|filter|search|members)$/.test(kind);

const CODES = { 404: 'NOT_FOUND', 409: 'CONFLICT', 412: 'PRECONDITION_FAILED', 422: 'IDEMPOTENCY_KEY_REUSED' } as const;

/** Throws if the answer violates the contract. */
export function readRestResult(call: Call, api: Api, result: APIGatewayProxyStructuredResultV2): Page {
  const { statusCode = 0, body = '', headers = {} } = result;
  const failed = readFailure(statusCode, body);
  if (failed) return { outcome: failed };
  if (statusCode === 204) return { outcome: { code: 'OK' } };
  const parsed = JSON.parse(body);
  const value = api === 'bare' ? parsed : parsed.data;
  if (statusCode === 201) {
    const location = `${api === 'bare' ? paths.bare : paths.enveloped}/${value.id}`;
    if (headers.location !== location) throw new Error(`Location is ${headers.location}, not ${location}`);
  }
  if (!Array.isArray(value)) {
    // The contract requires a single user here.
    return { outcome: { code: 'OK', user: { ...readUser(value), version: readVersion(headers.etag) } } };
  }
  const users = value.map(readUser);
  if (api === 'enveloped' && parsed.meta.total !== users.length) throw new Error(`meta.total is ${parsed.meta.total}`);
  const next = readNextLink(String(headers.link ?? ''));
  if (isMatching(call)) return { outcome: { code: 'OK', matches: users }, next };
  if (call.kind === 'walk')
    return { outcome: { code: 'OK', list: { users, start: 0, limit: call.limit, order: call.order } }, next };
  if (call.kind === 'list') return { outcome: readList(call, api, users, headers['x-total-count']) };
  return { outcome: users[0] ? { code: 'OK', user: users[0] } : { code: 'NOT_FOUND' } };
}

function readFailure(statusCode: number, body: string): Outcome | undefined {
  if (statusCode === 503) return { code: 'UNKNOWN', why: '503' };
  if (statusCode === 409 && body.includes('Other requests are changing')) return { code: 'UNKNOWN', why: '409, busy' };
  if (statusCode === 400 && isGroupsIssue(body)) return { code: 'INVALID' };
  if (statusCode in CODES) return { code: CODES[statusCode as keyof typeof CODES] };
  if (statusCode < 200 || statusCode > 204) throw new Error(`${statusCode} ${body}`);
  return undefined;
}

const isGroupsIssue = (message: string) => /the group \S+ does not exist|must have at most 2 items/.test(message);

function readList(call: Extract<Call, { kind: 'list' }>, api: Api, users: SeenUser[], total: unknown): Outcome {
  const { page, limit, order } = call;
  if (api === 'enveloped') return { code: 'OK', list: { users, start: 0, limit: SMALL_SIZES.list, order } };
  return { code: 'OK', list: { users, start: (page - 1) * limit, limit, order, total: Number(total) } };
}

/** RFC 8288 */
function readNextLink(link: string): Page['next'] {
  const query = /<[^>?]*\?([^>]*)>; rel="next"/.exec(link)?.[1];
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** REST returns `id` of a membership's group, and GraphQL `groupId`. */
type ShownMembership = { id?: string; groupId?: string; role: Role };
type ShownUser = Omit<SeenUser, 'fields'> & { groups?: ShownMembership[] };

/** Other members are own fields. GraphQL returns missing ones as null. */
function readUser({ id, name, email, version, createdAt, updatedAt, groups = [], ...own }: ShownUser): SeenUser {
  const fields = Object.fromEntries(
    Object.entries({ ...own, groups: formatMemberships(groups.map(toMembership)) ?? null }).filter(
      ([name, value]) => value !== null && !(name in DEFAULTS),
    ),
  );
  const shown = Object.entries({ version, createdAt, updatedAt }).filter(([, value]) => value !== undefined);
  return { id, name, email, fields, ...Object.fromEntries(shown) };
}

const toMembership = ({ id, groupId, role }: ShownMembership): Membership => ({ id: id ?? groupId ?? '', role });

const readVersion = (etag: unknown) => Number(/\d+/.exec(String(etag))?.[0]);

const USER_FIELDS = 'id name email nickname badge motto groups { groupId role } version createdAt updatedAt';
const USER = `user { ${USER_FIELDS} }`;
/** Omits the author, who may be deleted before the mutation reads its result. */
const POST_FIELDS = 'id title publishedAt';
const POST = `post { ${POST_FIELDS} }`;
const GROUP = 'group { id name externalId version createdAt updatedAt }';
const CONNECTION = `totalCount edges { node { ${USER_FIELDS} } } pageInfo { hasNextPage endCursor }`;

const DOCUMENTS: Record<Exclude<ApiCall['kind'], 'find'>, string> = {
  restore: `mutation ($input: RestoreUserInput!) { result: restoreUser(input: $input) { ${USER} } }`,
  merge: `mutation ($input: MergeUsersInput!) { result: mergeUsers(input: $input) { ${USER} } }`,
  undoMerge: `mutation ($input: UndoMergeInput!) {
    result: undoMerge(input: $input) { ${USER.replace('user', 'user: restored')} kept { id } } }`,
  create: `mutation ($input: CreateUserInput!) { result: createUser(input: $input) { ${USER} } }`,
  update: `mutation ($input: UpdateUserInput!) { result: updateUser(input: $input) { ${USER} } }`,
  replace: `mutation ($input: ReplaceUserInput!) { result: replaceUser(input: $input) { ${USER} } }`,
  upsert: `mutation ($input: UpsertUsersInput!) {
    result: upsertUsers(input: $input) { results { ${USER} error { message code } } } }`,
  delete: 'mutation ($input: DeleteUserInput!) { result: deleteUser(input: $input) { id } }',
  get: `query ($id: ID!) { ${USER.replace('user', 'user(id: $id)')} }`,
  list: `query ($first: Int, $order: SortOrder) { users(first: $first, order: $order) { ${CONNECTION} } }`,
  walk: `query ($first: Int, $order: SortOrder, $after: String) {
    users(first: $first, order: $order, after: $after) { ${CONNECTION.replace('totalCount', '')} } }`,
  sort: `query ($first: Int, $order: SortOrder, $sort: UserSort, $after: String) {
    users(first: $first, order: $order, sort: $sort, after: $after) { ${CONNECTION.replace('totalCount', '')} } }`,
  filter: `query ($first: Int, $order: SortOrder, $sort: UserSort, $motto: [String!], $plan: [String!], $after: String) {
    users(first: $first, order: $order, sort: $sort, filter: { motto: $motto, plan: $plan }, after: $after) {
      ${CONNECTION.replace('totalCount', '')} } }`,
  members: `query ($first: Int, $order: SortOrder, $group: ID!, $role: String, $after: String) {
    users(first: $first, order: $order, filter: { group: $group, role: $role }, after: $after) {
      ${CONNECTION.replace('totalCount', '')} } }`,
  search: `query ($first: Int, $text: String!, $after: String) {
    users(first: $first, search: $text, after: $after) { ${CONNECTION.replace('totalCount', '')} } }`,
  createPost: `mutation ($input: CreatePostInput!) { result: createPost(input: $input) { ${POST} } }`,
  updatePost: `mutation ($input: UpdatePostInput!) { result: updatePost(input: $input) { ${POST} } }`,
  publishPost: `mutation ($input: PublishPostInput!) { result: publishPost(input: $input) { ${POST} } }`,
  deletePost: 'mutation ($input: DeletePostInput!) { result: deletePost(input: $input) { id } }',
  getPost: `query ($id: ID!) { ${POST.replace('post', 'post(id: $id)')} }`,
  listPosts: `query ($id: ID!, $first: Int, $after: ID) {
    user(id: $id) { id posts(first: $first, after: $after) { ${POST_FIELDS} } } }`,
  createGroup: `mutation ($input: CreateGroupInput!) { result: createGroup(input: $input) { ${GROUP} } }`,
  updateGroup: `mutation ($input: UpdateGroupInput!) { result: updateGroup(input: $input) { ${GROUP} } }`,
  deleteGroup: 'mutation ($input: DeleteGroupInput!) { result: deleteGroup(input: $input) { id } }',
  getGroup: `query ($id: ID!) { ${GROUP.replace('group', 'group(id: $id)')} }`,
  addMember: `mutation ($input: AddMemberInput!) { result: addMember(input: $input) { ${USER} } }`,
  updateMember: `mutation ($input: UpdateMemberInput!) { result: updateMember(input: $input) { ${USER} } }`,
  removeMember: `mutation ($input: RemoveMemberInput!) { result: removeMember(input: $input) { ${USER} } }`,
};

const LOOKUPS = {
  email: `query ($value: String!) { ${USER.replace('user', 'user: userByEmail(email: $value)')} }`,
  nickname: `query ($value: String!) { ${USER.replace('user', 'user: userByNickname(nickname: $value)')} }`,
  badge: `query ($value: Int!) { ${USER.replace('user', 'user: userByBadge(badge: $value)')} }`,
};

export function toGraphqlEvent(call: ApiCall, next?: Page['next']): APIGatewayProxyEventV2 {
  const variables = { ...toVariables(call), ...next };
  const query = call.kind === 'find' ? LOOKUPS[call.field] : DOCUMENTS[call.kind];
  return createGraphqlEvent('POST', { body: { query, variables }, ...readCaller(call) });
}

function toVariables(call: ApiCall): object {
  switch (call.kind) {
    case 'get':
    case 'getPost':
    case 'getGroup':
      return { id: call.id };
    case 'find':
      return { value: call.value };
    case 'list':
    case 'walk':
      return { first: call.limit, order: call.order.toUpperCase() };
    case 'sort':
      return { first: call.limit, order: call.order.toUpperCase(), sort: call.by };
    case 'filter':
      return { first: call.limit, order: call.order.toUpperCase(), sort: call.by, motto: call.mottos, plan: call.plan };
    case 'members':
      return { first: call.limit, order: call.order.toUpperCase(), group: call.groupId, role: call.role };
    case 'addMember':
    case 'updateMember':
    case 'removeMember': {
      const { kind, caller, id, ...input } = call;
      return { input: { userId: id, ...input } };
    }
    case 'search':
      return { first: call.limit, text: call.text };
    case 'listPosts':
      return { id: call.id, first: call.limit };
    case 'create':
    case 'createGroup':
    case 'createPost': {
      const { kind, key, caller, ...input } = call;
      return { input: { ...flatten(input), ...(key ? { idempotencyKey: key } : {}) } };
    }
    case 'merge': {
      const { id: keep, other: remove, ifVersions, name, email, own } = call;
      return { input: { keep, remove, ifVersions, values: { name, email, ...toMembers(own) } } };
    }
    case 'upsert': {
      const { kind, caller, field, ...user } = call;
      return { input: { by: field, users: [flatten(user)] } };
    }
    default: {
      const { kind, caller, ...input } = call;
      return { input: flatten(input) };
    }
  }
}

const flatten = ({ own, ...input }: Record<string, unknown> & { own?: OwnChanges }) => ({
  ...input,
  ...(own && toMembers(own)),
});

/** Returns the members of a request. */
const toMembers = ({ groups, ...own }: OwnChanges): object =>
  groups === undefined ? own : { ...own, groups: groups === null ? null : parseMemberships(groups) };

type Post = Omit<SeenPost, 'authorId'>;
type Entities = {
  user?: (ShownUser & { posts?: Post[] }) | null;
  post?: Post | null;
  group?: SeenGroup | null;
  results?: { user: ShownUser | null; error: { message: string; code: string } | null }[];
};
type Connection = {
  totalCount?: number;
  edges: { node: ShownUser }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};
type Body = {
  data?: (Entities & { result?: Entities | null; users?: Connection }) | null;
  errors?: ApiError[];
};

type ApiError = { message: string; extensions: { code: string } };

/** Throws if the answer violates the contract. */
export function readGraphqlResult(call: Call, { body = '' }: APIGatewayProxyStructuredResultV2): Page {
  const { data, errors } = JSON.parse(body) as Body;
  if (errors?.[0]) return { outcome: readError(errors[0].message, errors[0].extensions.code) };
  if (data?.users) return readConnection(call, data.users);
  const [upserted] = data?.result?.results ?? [];
  if (upserted?.error) return { outcome: readError(upserted.error.message, upserted.error.code) };
  const { user, post, group }: Entities = upserted ?? data?.result ?? data ?? {};
  if (/^delete/.test(call.kind)) return { outcome: { code: 'OK' } };
  if (user?.posts) return readPosts(call, user.posts);
  if (user) return { outcome: { code: 'OK', user: readUser(user) } };
  if (group) return { outcome: { code: 'OK', group } };
  return { outcome: post ? { code: 'OK', post: addAuthor(post) } : { code: 'NOT_FOUND' } };
}

/** A post's id begins with its author's id. */
const addAuthor = (post: Post): SeenPost => ({ ...post, authorId: post.id.slice(0, post.id.indexOf('.')) });

function readConnection(call: Call, { totalCount, edges, pageInfo }: Connection): Page {
  const users = edges.map(({ node }) => readUser(node));
  const { hasNextPage, endCursor } = pageInfo;
  const next = hasNextPage && endCursor !== null ? { after: endCursor } : undefined;
  if (isMatching(call)) return { outcome: { code: 'OK', matches: users }, next };
  if (call.kind !== 'list' && call.kind !== 'walk') throw new Error(`users in the answer to ${call.kind}`);
  const { limit, order } = call;
  const outcome: Outcome = { code: 'OK', list: { users, total: totalCount, start: 0, limit, order } };
  return call.kind === 'walk' ? { outcome, next } : { outcome };
}

function readPosts(call: Call, posts: Post[]): Page {
  const last = posts.at(-1);
  const isFull = call.kind === 'listPosts' && call.limit !== undefined && posts.length >= call.limit;
  const outcome: Outcome = { code: 'OK', posts: posts.map(addAuthor) };
  return isFull && last ? { outcome, next: { after: last.id } } : { outcome };
}

function readError(message: string, code: string): Outcome {
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
      if (isGroupsIssue(message)) return { code: 'INVALID' };
  }
  throw new Error(`${code} ${message}`);
}
