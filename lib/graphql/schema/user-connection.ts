import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { selectMatches } from '../../features/search/search.ts';
import { parseInput } from '../../input/validation.ts';
import { countUsers, listUsers } from '../../users/list.ts';
import type { User } from '../../users/schema.ts';
import { requireRight } from '../authenticate.ts';
import type { GraphqlContext } from '../context.ts';
import { type Connection, connection, DEFAULT_FIRST, firstOfConnection } from './connection.ts';
import type { QueryUsersArgs, UserConnectionResolvers } from './resolver-types.ts';

const usersArguments = z.object({
  first: firstOfConnection,
  after: z.nullish(z.uuid('must be a cursor of this connection').check(z.toLowerCase())),
});
const searchArguments = z.extend(usersArguments, { after: z.nullish(z.string()) });

/** The cursor is the id of a user, or a text of the search. */
export async function listUserConnection(
  input: QueryUsersArgs,
  { access, users, budget }: GraphqlContext,
): Promise<Connection<User>> {
  requireRight(access, 'list');
  const { order, search } = input;
  const { first, after } = parseInput(search == null ? usersArguments : searchArguments, input);
  if (search != null && order != null) throw invalidInput(['order'], 'cannot be combined with search');
  budget.assertNotExceeded();
  const query = {
    limit: first ?? DEFAULT_FIRST,
    after: after ?? undefined,
    order: order === 'DESC' ? 'desc' : 'asc',
    ...(search == null ? {} : { selection: selectMatches(search) }),
  } as const;
  const page = await listUsers(query, (items) => budget.spendRead(items));
  for (const user of page.users) users.prime(user.id, user); // The authors of their posts need not be read again.
  return {
    nodes: page.users,
    cursors: page.cursors ?? page.users.map(({ id }) => id),
    hasNextPage: page.next !== undefined,
    hasPreviousPage: after != null,
    // A page of a search may be empty although another follows.
    endCursor: page.next,
  };
}

export const userConnection = {
  edges: connection.edges,
  pageInfo: connection.pageInfo,
  totalCount: () => countUsers(),
} satisfies UserConnectionResolvers;
