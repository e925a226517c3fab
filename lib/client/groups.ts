import { isChanged, rejectOptions, wasRetried } from './errors.ts';
import { ignoreDeleted } from './lost-answer.ts';
import { findNext, type PageInfo, readPages } from './pages.ts';
import { createSender, type Signal, type Transport, type TypedDocument } from './transport.ts';
import { createKey } from './users.ts';

/** Times are ISO 8601 in UTC. */
export type Group = {
  id: string;
  name: string;
  externalId: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
};

/** A user with all groups. */
export type Member = {
  id: string;
  name: string;
  email: string;
  version: number;
  groups: { id: string; role: string }[];
};

/** A group as it was read, or an id to skip the check of the version. */
export type GroupReference = Pick<Group, 'id' | 'version'> | string;

type GroupInput = { name: string; externalId?: string | undefined };
type GroupChanges = { name?: string | undefined; externalId?: string | null | undefined };
type Membership = { group: string; user: string };

type PageRequest = {
  /** Beginnings of words of the name. Sorts by the matched text. */
  search?: string | undefined;
  after?: string | undefined;
  limit?: number | undefined;
} & Signal;
export type GroupPage = { groups: Group[]; next?: string | undefined };

/** Requires a deployment with `groups=on`. List members with `users.list({ filter: { group: id } })`. */
export type Groups = {
  /** Lists all groups, oldest first, or the results of a search. */
  list(
    options?: { search?: string | undefined; pageSize?: number | undefined } & Signal,
  ): AsyncGenerator<Group, void, undefined>;

  /** Pass `next` as `after` to get the following page. A page of a search may be short although more follow. */
  page(request?: PageRequest): Promise<GroupPage>;

  /** Returns null for an unknown id. */
  get(id: string, options?: Signal): Promise<Group | null>;

  /** Compares the external id exactly. Returns null if no group has it. */
  find(by: { externalId: string }, options?: Signal): Promise<Group | null>;

  /** Retries never create a second group. Pass your own key to make separate calls repeatable, too. */
  create(group: GroupInput, options?: { idempotencyKey?: string | undefined } & Signal): Promise<Group>;

  /** Null removes the external id. Throws an error recognized by `isChanged` if the group has changed since it was read. */
  update(group: GroupReference, changes: GroupChanges, options?: Signal): Promise<Group>;

  /** Throws GROUP_NOT_EMPTY for a group with members, unless `removeMembers` is true. Checks the version like `update`. */
  delete(group: GroupReference, options?: { removeMembers?: boolean | undefined } & Signal): Promise<void>;

  /** Takes ids. Throws ALREADY_MEMBER if the user has another role. */
  addMember(member: Membership & { role?: string | undefined }, options?: Signal): Promise<Member>;

  /** Changes the role. Throws NOT_FOUND if the user is not a member. */
  updateMember(member: Membership & { role: string }, options?: Signal): Promise<Member>;

  /** Changes nothing if the user is not a member. */
  removeMember(member: Membership, options?: Signal): Promise<Member>;
};

export function createGroups(url: string, transport: Transport): Groups {
  const send = createSender(url, transport);

  const groups: Groups = {
    async *list({ search, pageSize = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const pages = readPages((after) => groups.page({ search, after, limit: pageSize, signal }));
      for await (const page of pages) yield* page.groups;
    },

    async page({ search, after, limit = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const { nodes, pageInfo } = (await send(listGroupsDocument(), { search, first: limit, after }, signal)).groups;
      return { groups: nodes, next: findNext(pageInfo) };
    },

    get: async (id, { signal } = {}) => (await send(getGroupDocument(), { id }, signal)).group,

    find: async ({ externalId }, { signal } = {}) =>
      (await send(findGroupDocument(), { externalId }, signal)).groupByExternalId,

    async create(group, { idempotencyKey = createKey(), signal } = {}) {
      return (await send(createGroupDocument(), { input: { ...group, idempotencyKey } }, signal)).createGroup.group;
    },

    async update(group, changes, { signal, ...others } = {}) {
      rejectOptions(others);
      const { id, ifVersion } = toCondition(group);
      try {
        return (await send(updateGroupDocument(), { input: { id, ifVersion, ...changes } }, signal)).updateGroup.group;
      } catch (error) {
        if (!isChanged(error) || !wasRetried(error) || error.version !== (ifVersion ?? 0) + 1) throw error;
        // An earlier attempt, with a lost answer, may have written this version.
        const current = await groups.get(id, { signal });
        const { name = current?.name, externalId = current?.externalId } = changes;
        if (current?.version !== error.version) throw error;
        if (current.name !== name?.trim() || current.externalId !== externalId) throw error;
        return current;
      }
    },

    async delete(group, { removeMembers, signal, ...others } = {}) {
      rejectOptions(others);
      await send(deleteGroupDocument, { input: { ...toCondition(group), removeMembers } }, signal).catch(ignoreDeleted);
    },

    async addMember({ group, user, role }, { signal } = {}) {
      const input = { groupId: group, userId: user, role };
      return (await send(addMemberDocument(), { input }, signal)).addMember.user;
    },

    async updateMember({ group, user, role }, { signal } = {}) {
      const input = { groupId: group, userId: user, role };
      return (await send(updateMemberDocument(), { input }, signal)).updateMember.user;
    },

    async removeMember({ group, user }, { signal } = {}) {
      return (await send(removeMemberDocument(), { input: { groupId: group, userId: user } }, signal)).removeMember
        .user;
    },
  };
  return groups;
}

const toCondition = (group: GroupReference) =>
  typeof group === 'string' ? { id: group, ifVersion: undefined } : { id: group.id, ifVersion: group.version };

// Documents with these parts are functions, because bundlers keep unused template literals.
const GROUP = 'id name externalId createdAt updatedAt version';
const USER = 'user { id name email version groups { id: groupId role } }';

type Condition = { id: string; ifVersion: number | undefined };
type MemberInput = { groupId: string; userId: string };
type Role = { role: string | undefined };

export const listGroupsDocument = (): TypedDocument<
  { groups: { nodes: Group[]; pageInfo: PageInfo } },
  { search: string | undefined; first: number; after: string | undefined }
> =>
  `query ListGroups($search: String, $first: Int, $after: String) { groups(search: $search, first: $first, after: $after) { nodes { ${GROUP} } pageInfo { hasNextPage endCursor } } }`;

export const getGroupDocument = (): TypedDocument<{ group: Group | null }, { id: string }> =>
  `query GetGroup($id: ID!) { group(id: $id) { ${GROUP} } }`;

export const findGroupDocument = (): TypedDocument<{ groupByExternalId: Group | null }, { externalId: string }> =>
  `query FindGroup($externalId: String!) { groupByExternalId(externalId: $externalId) { ${GROUP} } }`;

export const createGroupDocument = (): TypedDocument<
  { createGroup: { group: Group } },
  { input: GroupInput & { idempotencyKey: string } }
> => `mutation CreateGroup($input: CreateGroupInput!) { createGroup(input: $input) { group { ${GROUP} } } }`;

export const updateGroupDocument = (): TypedDocument<
  { updateGroup: { group: Group } },
  { input: Condition & GroupChanges }
> => `mutation UpdateGroup($input: UpdateGroupInput!) { updateGroup(input: $input) { group { ${GROUP} } } }`;

export const deleteGroupDocument: TypedDocument<
  { deleteGroup: { id: string } },
  { input: Condition & { removeMembers: boolean | undefined } }
> = 'mutation DeleteGroup($input: DeleteGroupInput!) { deleteGroup(input: $input) { id } }';

export const addMemberDocument = (): TypedDocument<{ addMember: { user: Member } }, { input: MemberInput & Role }> =>
  `mutation AddMember($input: AddMemberInput!) { addMember(input: $input) { ${USER} } }`;

export const updateMemberDocument = (): TypedDocument<
  { updateMember: { user: Member } },
  { input: MemberInput & { role: string } }
> => `mutation UpdateMember($input: UpdateMemberInput!) { updateMember(input: $input) { ${USER} } }`;

export const removeMemberDocument = (): TypedDocument<{ removeMember: { user: Member } }, { input: MemberInput }> =>
  `mutation RemoveMember($input: RemoveMemberInput!) { removeMember(input: $input) { ${USER} } }`;
