import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { parseInput } from '../../input/validation.ts';
import { countUsers, listUsers, type UserPage } from '../../users/list.ts';
import type { GraphqlContext } from '../context.ts';
import { DEFAULT_FIRST, firstOfConnection } from './connection.ts';
import type { QueryUsersArgs, UserConnectionResolvers } from './resolver-types.ts';

const usersArguments = z.object({
  first: firstOfConnection,
  after: z.nullish(z.uuid('must be a cursor of this connection').check(z.toLowerCase())),
});
const searchArguments = z.extend(usersArguments, { after: z.nullish(z.string()) });

/** https://relay.dev/graphql/connections.htm. The cursor is the id of a user, or a text of the search. */
export type UserConnection = UserPage & { cursors: string[]; hasPreviousPage: boolean };

export async function listUserConnection(
  input: QueryUsersArgs,
  { users, budget }: GraphqlContext,
): Promise<UserConnection> {
  const { order, search } = input;
  const { first, after } = parseInput(search == null ? usersArguments : searchArguments, input);
  if (search != null && order != null) throw invalidInput(['order'], 'cannot be combined with search');
  budget.assertNotExceeded();
  const query = {
    limit: first ?? DEFAULT_FIRST,
    after: after ?? undefined,
    order: order === 'DESC' ? 'desc' : 'asc',
    search: search ?? undefined,
  } as const;
  const page = await listUsers(query, (items) => budget.spendRead(items));
  for (const user of page.users) users.prime(user.id, user); // The authors of their posts need not be read again.
  return { ...page, cursors: page.cursors ?? page.users.map(({ id }) => id), hasPreviousPage: after != null };
}

export const userConnection = {
  edges({ users, cursors }, _, { budget }, info) {
    const edges = users.map((node, at) => ({ cursor: cursors[at] ?? node.id, node }));
    return budget.spendReturned(edges, info);
  },
  pageInfo: ({ next, cursors, hasPreviousPage }) => ({
    hasNextPage: next !== undefined,
    hasPreviousPage,
    startCursor: cursors.at(0),
    // A page of a search may be empty although another follows.
    endCursor: next ?? cursors.at(-1),
  }),
  totalCount: () => countUsers(),
} satisfies UserConnectionResolvers;
