import DataLoader from 'dataloader';
import * as z from 'zod/mini';
import { normalizeId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import { requireRights } from '../../graphql/authenticate.ts';
import { CLAIM_AND_USER } from '../../graphql/budget.ts';
import type { GraphqlContext } from '../../graphql/context.ts';
import { DEFAULT_FIRST, firstOfConnection } from '../../graphql/schema/first-of-connection.ts';
import { primeUser, readIdempotencyKey, startWrite } from '../../graphql/schema/mutations.ts';
import type {
  GroupResolvers,
  MutationResolvers,
  QueryResolvers,
  QueryUsersArgs,
  UserResolvers,
} from '../../graphql/schema/resolver-types.ts';
import { users } from '../../graphql/schema/user-lists.ts';
import { parseInput } from '../../input/parsing.ts';
import { sizes } from '../../sizes.ts';
import { listMemberships } from '../../users/fields/values.ts';
import type { Group } from './group.ts';
import {
  addMemberInput,
  createGroupInput,
  deleteGroupInput,
  removeMemberInput,
  updateGroupInput,
  updateMemberInput,
} from './input.ts';
import { countGroups, listGroups } from './list.ts';
import * as members from './members.ts';
import { findGroupByExternalId, readGroups } from './read.ts';
import * as writes from './write.ts';

type GroupLoader = DataLoader<string, Group | undefined>;

/** One loader per request reads the groups of all users in one batch. */
const loaders = new WeakMap<GraphqlContext, GroupLoader>();

function getLoader(context: GraphqlContext): GroupLoader {
  const loader = loaders.get(context) ?? createLoader(context);
  loaders.set(context, loader);
  return loader;
}

const createLoader = ({ budget }: GraphqlContext): GroupLoader =>
  new DataLoader(
    async (ids) => {
      budget.spendRead(ids.length);
      const groups = await readGroups(ids, { consistent: true });
      return ids.map((id) => groups.get(id));
    },
    { maxBatchSize: sizes.batchGet },
  );

export const group = ((_, { id }, context) =>
  getLoader(context).load(normalizeId(id))) satisfies QueryResolvers['group'];

export const groupByExternalId = (async (_, { externalId }, context) => {
  context.budget.spendRead(CLAIM_AND_USER);
  const group = await findGroupByExternalId(externalId);
  return group && prime(group, context);
}) satisfies QueryResolvers['groupByExternalId'];

const listArguments = z.object({
  first: firstOfConnection,
  after: z.nullish(z.string()),
  search: z.nullish(z.string()),
});

export const groups = (async (_, input, context) => {
  const { first, after, search } = parseInput(listArguments, input);
  context.budget.assertNotExceeded();
  const list = { first: first ?? DEFAULT_FIRST, after: after ?? undefined, search: search ?? undefined };
  const page = await listGroups(list, (items) => context.budget.spendRead(items));
  for (const group of page.groups) prime(group, context);
  return {
    nodes: page.groups,
    cursors: page.cursors,
    hasNextPage: page.next !== undefined,
    hasPreviousPage: after != null,
    endCursor: page.next,
    count: async () =>
      search == null ? ((await countGroups((items) => context.budget.spendRead(items))) ?? null) : null,
  };
}) satisfies QueryResolvers['groups'];

/** Lists users as `users` does. */
export const listMembers = (({ id }, { role, filter, ...page }, context) => {
  requireRights(context.access, ['list']);
  // The schema declares `group` and `role` with the own fields, which the compiler does not know.
  const { group, role: other } = { ...filter } as { group?: unknown; role?: unknown };
  if (group != null || other != null)
    throw invalidInput(['filter'], 'must not name a group or a role; use the argument role');
  const members: QueryUsersArgs['filter'] & object = { ...filter, ...{ group: id, role } };
  return users({}, { ...page, filter: members }, context);
}) satisfies GroupResolvers['members'];

/** Types with former versions of users, which show groups that were deleted since. */
const FORMER = new Set(['UserHistoryEntry', 'UserChange']);

export const memberships = (async (user, _, context, info) => {
  const groups = listMemberships(user);
  const loaded = await Promise.all(groups.map(({ id }) => getLoader(context).load(id)));
  const all = groups.map(({ id, role }, at) => ({ groupId: id, role, group: loaded[at] ?? null }));
  const shown = FORMER.has(info.path.prev?.typename ?? '') ? all : all.filter(({ group }) => group !== null);
  return context.budget.spendReturned(shown, info);
}) satisfies UserResolvers['groups'];

export const createGroup = (async (_, { input }, context) => {
  const group = parseInput(createGroupInput, input);
  const key = readIdempotencyKey(group.idempotencyKey, context.access);
  return { group: prime(await writes.createGroup(group, startWrite(context), key), context) };
}) satisfies MutationResolvers['createGroup'];

export const updateGroup = (async (_, { input }, context) => {
  const changes = parseInput(updateGroupInput, input);
  return { group: prime(await writes.updateGroup(changes, startWrite(context)), context) };
}) satisfies MutationResolvers['updateGroup'];

export const deleteGroup = (async (_, { input }, context) => {
  const deletion = parseInput(deleteGroupInput, input);
  const { id } = await writes.deleteGroup(deletion, startWrite(context));
  getLoader(context).clear(id);
  return { id };
}) satisfies MutationResolvers['deleteGroup'];

export const addMember = (async (_, { input }, context) => {
  const member = parseInput(addMemberInput, input);
  return { user: primeUser(await members.addMember(member, startWrite(context)), context) };
}) satisfies MutationResolvers['addMember'];

export const updateMember = (async (_, { input }, context) => {
  const member = parseInput(updateMemberInput, input);
  return { user: primeUser(await members.updateMember(member, startWrite(context)), context) };
}) satisfies MutationResolvers['updateMember'];

export const removeMember = (async (_, { input }, context) => {
  const member = parseInput(removeMemberInput, input);
  return { user: primeUser(await members.removeMember(member, startWrite(context)), context) };
}) satisfies MutationResolvers['removeMember'];

/** Caches a group for later fields of the request. */
function prime(group: Group, context: GraphqlContext): Group {
  getLoader(context).clear(group.id).prime(group.id, group);
  return group;
}
