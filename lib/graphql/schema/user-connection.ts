import * as z from 'zod/mini';
import { countUsers, listUsers, type UserPage } from '../../users/list.ts';
import { parseInput } from '../../validation.ts';
import type { ReadBudget } from '../read-budget.ts';
import { measureResponse } from '../response-size.ts';
import type { QueryUsersArgs, UserConnectionResolvers } from './resolver-types.ts';

const DEFAULT_FIRST = 20;

const usersArguments = z.object({
  first: z.nullish(z.int().check(z.minimum(1, 'must be at least 1'), z.maximum(100, 'must be at most 100'))),
  after: z.nullish(z.uuid('must be a cursor of this connection').check(z.toLowerCase())),
});

/** https://relay.dev/graphql/connections.htm, with the id of a user as its cursor. */
export type UserConnection = UserPage & { hasPreviousPage: boolean };

export async function listUserConnection(input: QueryUsersArgs, budget: ReadBudget): Promise<UserConnection> {
  const { first, after } = parseInput(usersArguments, input);
  budget.assertNotExceeded();
  const page = await listUsers({
    limit: first ?? DEFAULT_FIRST,
    after: after ?? undefined,
    order: input.order === 'DESC' ? 'desc' : 'asc',
  });
  budget.spendRead(page.users.length);
  return { ...page, hasPreviousPage: Boolean(after) };
}

export const userConnection: UserConnectionResolvers = {
  edges({ users }, _, { budget }, info) {
    const edges = users.map((node) => ({ cursor: node.id, node }));
    budget.spendReturned(edges.length, measureResponse(edges, info));
    return edges;
  },
  pageInfo: ({ users, next, hasPreviousPage }) => ({
    hasNextPage: next !== undefined,
    hasPreviousPage,
    startCursor: users.at(0)?.id,
    endCursor: users.at(-1)?.id,
  }),
  totalCount: () => countUsers(),
};
