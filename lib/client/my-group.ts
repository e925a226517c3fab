import { rejectOptions } from './errors.ts';
import { ignoreDeleted } from './lost-answer.ts';
import { findNext, type PageInfo, readPages } from './pages.ts';
import { createSender, type Signal, type Transport, type TypedDocument } from './transport.ts';
import { createKey, type OwnFields, removeNulls, type WithUndefined } from './users.ts';

/** A member as the administrator sees it, without hidden own fields. `createdAt` is ISO 8601 in UTC. */
export type GroupMember<Fields extends OwnFields = object> = {
  id: string;
  name: string;
  email: string;
  role: string;
  createdAt: string;
} & Partial<Fields>;

/** `role` defaults to the first role of the deployment. */
export type GroupMemberInput<Fields extends OwnFields = object> = {
  name: string;
  email: string;
  role?: string | undefined;
} & WithUndefined<Partial<Fields>>;

/** Null clears an optional field. The address cannot change. */
export type GroupMemberChanges<Fields extends OwnFields = object> = {
  name?: string | undefined;
  role?: string | undefined;
} & { [Name in keyof Fields]?: Fields[Name] | null | undefined };

type Filter = {
  role?: string | undefined;
  /** Beginnings of words of the name and the address. */
  search?: string | undefined;
};

export type GroupMemberPage<Fields extends OwnFields = object> = {
  members: GroupMember<Fields>[];
  next?: string | undefined;
};

/**
 * The group of which the signed-in person is an administrator. Requires a deployment with `groupClaim`, a token with the
 * scope `users:group`, and `fields` without hidden fields. Calls throw NO_GROUP or NO_GROUP_ADMIN.
 */
export type MyGroup<Fields extends OwnFields = object> = {
  get(options?: Signal): Promise<{ id: string; name: string }>;

  /** Lists members in creation order. */
  list(
    options?: Filter & { pageSize?: number | undefined } & Signal,
  ): AsyncGenerator<GroupMember<Fields>, void, undefined>;

  /** Pass `next` as `after` to get the following page. A page of a search may be short although more follow. */
  page(
    request?: Filter & { after?: string | undefined; limit?: number | undefined } & Signal,
  ): Promise<GroupMemberPage<Fields>>;

  /** Returns null for an id outside of the group. */
  find(id: string, options?: Signal): Promise<GroupMember<Fields> | null>;

  /**
   * Creates a user in the group. Retries never create a second user. Pass your own key to make separate calls
   * repeatable, too. Throws EMAIL_TAKEN for an address that any user has.
   */
  add(
    member: GroupMemberInput<Fields>,
    options?: { idempotencyKey?: string | undefined } & Signal,
  ): Promise<GroupMember<Fields>>;

  /** Throws NOT_FOUND for users outside of the group, and LAST_ADMIN. */
  update(id: string, changes: GroupMemberChanges<Fields>, options?: Signal): Promise<GroupMember<Fields>>;

  /** Removes the member from the group, and keeps the user. Throws NOT_FOUND and LAST_ADMIN. */
  remove(id: string, options?: Signal): Promise<void>;
};

export function createMyGroup<Fields extends OwnFields>(
  url: string,
  transport: Transport,
  fields: readonly string[],
): MyGroup<Fields> {
  const send = createSender(url, transport);
  // The deployment's own fields are not part of the static types.
  const toMember = (node: Node) => removeNulls(node) as GroupMember<Fields>;

  const myGroup: MyGroup<Fields> = {
    get: async ({ signal } = {}) => (await send(getMyGroupDocument, {}, signal)).myGroup,

    async *list({ role, search, pageSize = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const pages = readPages((after) => myGroup.page({ role, search, after, limit: pageSize, signal }));
      for await (const page of pages) yield* page.members;
    },

    async page({ role, search, after, limit = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const variables = { role, search, after, first: limit };
      const { nodes, pageInfo } = (await send(listMyGroupMembersDocument(fields), variables, signal)).myGroup.members;
      return { members: nodes.map(toMember), next: findNext(pageInfo) };
    },

    async find(id, { signal } = {}) {
      const { member } = (await send(findMyGroupMemberDocument(fields), { id }, signal)).myGroup;
      return member && toMember(member);
    },

    async add(member, { idempotencyKey = createKey(), signal } = {}) {
      const input = { ...member, idempotencyKey };
      return toMember((await send(addMyGroupMemberDocument(fields), { input }, signal)).addMyGroupMember.member);
    },

    async update(id, changes, { signal } = {}) {
      const input = { ...changes, id };
      return toMember((await send(updateMyGroupMemberDocument(fields), { input }, signal)).updateMyGroupMember.member);
    },

    async remove(id, { signal } = {}) {
      await send(removeMyGroupMemberDocument, { input: { id } }, signal).catch(ignoreDeleted);
    },
  };
  return myGroup;
}

type Node = { id: string };
type Id = { id: string };
type Input = { input: object };

const selectMember = (fields: readonly string[]) => ['id name email role createdAt', ...fields].join(' ');

export const getMyGroupDocument: TypedDocument<{ myGroup: { id: string; name: string } }, object> =
  'query GetMyGroup { myGroup { id name } }';

export const listMyGroupMembersDocument = (
  fields: readonly string[],
): TypedDocument<
  { myGroup: { members: { nodes: Node[]; pageInfo: PageInfo } } },
  { role: string | undefined; search: string | undefined; after: string | undefined; first: number }
> =>
  `query ListMyGroupMembers($first: Int, $after: String, $role: String, $search: String) { myGroup { members(first: $first, after: $after, role: $role, search: $search) { nodes { ${selectMember(fields)} } pageInfo { hasNextPage endCursor } } } }`;

export const findMyGroupMemberDocument = (
  fields: readonly string[],
): TypedDocument<{ myGroup: { member: Node | null } }, Id> =>
  `query FindMyGroupMember($id: ID!) { myGroup { member(id: $id) { ${selectMember(fields)} } } }`;

export const addMyGroupMemberDocument = (
  fields: readonly string[],
): TypedDocument<{ addMyGroupMember: { member: Node } }, Input> =>
  `mutation AddMyGroupMember($input: AddMyGroupMemberInput!) { addMyGroupMember(input: $input) { member { ${selectMember(fields)} } } }`;

export const updateMyGroupMemberDocument = (
  fields: readonly string[],
): TypedDocument<{ updateMyGroupMember: { member: Node } }, Input> =>
  `mutation UpdateMyGroupMember($input: UpdateMyGroupMemberInput!) { updateMyGroupMember(input: $input) { member { ${selectMember(fields)} } } }`;

export const removeMyGroupMemberDocument: TypedDocument<{ removeMyGroupMember: Id }, { input: Id }> =
  'mutation RemoveMyGroupMember($input: RemoveMyGroupMemberInput!) { removeMyGroupMember(input: $input) { id } }';
