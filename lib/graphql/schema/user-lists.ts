import * as z from 'zod/mini';
import { parseInput } from '../../input/parsing.ts';
import { type Criterion, creationCriterion } from '../../users/criteria.ts';
import { listUsers } from '../../users/list.ts';
import { countMatching, countUsers } from '../../users/matching.ts';
import { findUserByEmail } from '../../users/unique-values.ts';
import { CLAIM_AND_USER } from '../budget.ts';
import type { GraphqlContext } from '../context.ts';
import { DEFAULT_FIRST, firstOfConnection } from './first-of-connection.ts';
import type { QueryResolvers, QueryUsersArgs } from './resolver-types.ts';

const pageArguments = z.object({ first: firstOfConnection, after: z.nullish(z.string()) });

export const users = async function listUserConnection(_, input, context) {
  const { users, budget } = context;
  const { first, after } = parseInput(pageArguments, input);
  budget.assertNotExceeded();
  const query = {
    limit: first ?? DEFAULT_FIRST,
    after: after ?? undefined,
    order: input.order == null ? undefined : ORDERS[input.order],
    criteria: await parseCriteria(input),
  };
  const page = await listUsers(query, (items) => budget.spendRead(items));
  for (const user of page.users) users.prime(user.id, user); // Saves reading the authors of their posts.
  return {
    nodes: page.users,
    cursors: page.cursors ?? page.users.map(({ id }) => id),
    hasNextPage: page.next !== undefined,
    hasPreviousPage: after != null,
    // Set even on an empty page, because more users may follow.
    endCursor: page.next,
    count: () => countListed(query.criteria, context),
  };
} satisfies QueryResolvers['users'];

const ORDERS = { ASC: 'asc', DESC: 'desc' } as const;

/** Throws BAD_USER_INPUT. */
async function parseCriteria(input: QueryUsersArgs): Promise<Criterion[]> {
  const criteria = [parsePeriod(input), parseSearch(input), parseFilterAndSort(input), parseChangedSince(input)];
  return (await Promise.all(criteria)).flat();
}

function parsePeriod({ filter }: QueryUsersArgs): Criterion[] {
  const { createdAfter, createdBefore } = filter ?? {};
  if (createdAfter == null && createdBefore == null) return [];
  return [creationCriterion({}, { after: createdAfter?.getTime(), before: createdBefore?.getTime() })];
}

// The next functions import the code of a feature on first use, because most lists do not need it.

async function parseSearch({ search }: QueryUsersArgs): Promise<Criterion[]> {
  if (search == null) return [];
  const { searchCriterion } = await import('../../features/search/search.ts');
  return [searchCriterion(search)];
}

async function parseFilterAndSort({ filter, sort }: QueryUsersArgs): Promise<Criterion[]> {
  if (filter == null && sort == null) return [];
  const { parseFilter, parseSort } = await import('../../features/filters/graphql-arguments.ts');
  return [...parseFilter(filter ?? {}), ...(sort == null ? [] : [parseSort(sort)])];
}

async function parseChangedSince({ filter }: QueryUsersArgs): Promise<Criterion[]> {
  if (filter?.changedSince == null) return [];
  const { changedSinceCriterion } = await import('../../features/change-log/changed-since.ts');
  return [changedSinceCriterion({}, filter.changedSince.toISOString())];
}

export const userByEmail = async function findByEmail(_, { email }, { users, budget }) {
  budget.spendRead(CLAIM_AND_USER);
  const user = await findUserByEmail(email);
  if (user) users.prime(user.id, user);
  return user;
} satisfies QueryResolvers['userByEmail'];

async function countListed(criteria: Criterion[], context: GraphqlContext): Promise<number | null> {
  const onRead = (items: number) => context.budget.spendRead(items);
  if (criteria.length > 0) return (await countMatching(criteria, onRead)) ?? null;
  context.userCount ??= countUsers(onRead);
  return context.userCount;
}
