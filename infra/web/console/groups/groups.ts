import { queryOptions } from '@tanstack/react-query';
import type { Group, GroupPage } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { countMatches, isSearch } from '../api/users.ts';
import { groupNames } from '../own-fields.ts';
import { refresh } from '../query-client.ts';

/** A page of a search may be short, or empty, although more groups follow. */
const MAX_REQUESTS = 5;

type PageRequest = { limit: number; after?: string | undefined; signal?: AbortSignal | undefined };

/** Lists all groups, or the results of a search. The group with this external id comes first. */
export async function listGroups(text: string, { limit, after, signal }: PageRequest): Promise<GroupPage> {
  const search = isSearch(text) ? text : undefined;
  // Ignores the error, because the concurrent list reports it.
  const owner = text && !after ? client.groups.find({ externalId: text }, { signal }).catch(() => null) : null;
  let page = await client.groups.page({ search, limit, after, signal });
  const found = [...page.groups];
  for (let request = 1; page.next && found.length < limit && request < MAX_REQUESTS; request++) {
    page = await client.groups.page({ search, limit: limit - found.length, after: page.next, signal });
    found.push(...page.groups);
  }
  const first = await owner;
  const groups = first ? [first, ...found.filter(({ id }) => id !== first.id)] : found;
  rememberNames(groups);
  return { groups, next: page.next };
}

const rememberNames = (groups: readonly Group[]): void =>
  groupNames.set((all) => new Map([...all, ...groups.map(({ id, name }) => [id, name] as const)]));

/** Call after a change of the group. */
export function showGroup(group: Group): Promise<void> {
  rememberNames([group]);
  return refresh(['groups'], ['group', group.id]);
}

/** Call after a change of memberships. */
export const refreshMembers = (...userIds: string[]): Promise<void> =>
  refresh(['members'], ['users'], ['count'], ...userIds.map((id) => ['user', id]));

/** Null if the group is too large to count, or the count fails. Shares the cached count of the list. */
export const memberCountQuery = (group: string) =>
  queryOptions({
    queryKey: ['count', { group }],
    queryFn: async ({ signal }) => (await countMatches({ filter: { group } }, signal).catch(() => undefined)) ?? null,
  });
