import { isUserId, normalizeId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import type { Criterion, UserPage } from '../../users/criteria.ts';
import type { OnRead } from '../../users/directory.ts';
import { listUsers } from '../../users/list.ts';
import { countMatching } from '../../users/matching.ts';
import { findUser } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import type { Group } from '../groups/group.ts';
import { memberCriterion } from '../groups/member-criterion.ts';
import { listNameAndAddressTexts } from '../search/entries.ts';
import { parseSearch } from '../search/query.ts';
import { matchesTexts } from '../search/search.ts';
import { findRole } from './administrator.ts';

/** A user as administrators see it. `own` has all own fields, of which the GraphQL type has the visible ones. */
export type Member = Pick<User, 'id' | 'name' | 'email' | 'createdAt' | 'own'> & { role: string };

/** Undefined for users outside of the group. */
export function toMember(user: User, group: Pick<Group, 'id'>): Member | undefined {
  const role = findRole(user, group);
  const { id, name, email, createdAt, own } = user;
  return role === undefined ? undefined : { id, name, email, role, createdAt, own };
}

/** Reads consistently. Undefined for a user outside of the group and for an unknown id. */
export async function findMember(group: Group, id: string): Promise<Member | undefined> {
  const normalized = normalizeId(id);
  const user = isUserId(normalized) ? await findUser(normalized) : undefined;
  return user && toMember(user, group);
}

type ListMembers = {
  first: number;
  after?: string | undefined;
  role?: string | undefined;
  search?: string | undefined;
};

/** Lists members in creation order. A page of a search may be short although more follow. Throws BAD_USER_INPUT. */
export const listMembers = (
  group: Group,
  { first, after, role, search }: ListMembers,
  onRead: OnRead,
): Promise<UserPage> => listUsers({ limit: first, after, criteria: listCriteria(group, role, search) }, onRead);

/** Undefined for too many members, and for a search. */
export const countMembers = async (
  group: Group,
  { role, search }: Pick<ListMembers, 'role' | 'search'>,
  onRead: OnRead,
): Promise<number | undefined> =>
  search === undefined ? countMatching(listCriteria(group, role, undefined), onRead) : undefined;

function listCriteria({ id }: Group, role: string | undefined, search: string | undefined): Criterion[] {
  const members = memberCriterion({ group: id, role });
  return [...(members ? [members] : []), ...(search === undefined ? [] : [searchCriterion(search)])];
}

/**
 * Finds members by name and address, with the rules of a search of all users. Reads the members, because entries of
 * a search would include people outside of the group. Ignores own fields, which may be hidden. Throws BAD_USER_INPUT.
 */
function searchCriterion(search: string): Criterion {
  const { query, issue } = parseSearch(search);
  if (!query) throw invalidInput(['search'], issue);
  return {
    parameters: { search },
    matches: (user) => matchesTexts(listNameAndAddressTexts(user), query),
  };
}
