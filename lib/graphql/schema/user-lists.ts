import * as z from 'zod/mini';
import { invalidInput } from '../../errors.ts';
import { parseInput } from '../../input/parsing.ts';
import { countUsers, listUsers } from '../../users/list.ts';
import { findUserByEmail } from '../../users/unique-values.ts';
import { CLAIM_AND_USER } from '../budget.ts';
import { DEFAULT_FIRST, firstOfConnection } from './first-of-connection.ts';
import type { QueryResolvers, UserConnectionResolvers } from './resolver-types.ts';

const usersArguments = z.object({
  first: firstOfConnection,
  after: z.nullish(z.uuid('must be a cursor of this connection').check(z.toLowerCase())),
});
const searchArguments = z.extend(usersArguments, { after: z.nullish(z.string()) });

/** The cursor is the id of a user, or a text of the search. */
export const users = async function listUserConnection(_, input, { users, budget }) {
  const { order, search } = input;
  const { first, after } = parseInput(search == null ? usersArguments : searchArguments, input);
  if (search != null && order != null) throw invalidInput(['order'], 'cannot be combined with search');
  budget.assertNotExceeded();
  const query = {
    limit: first ?? DEFAULT_FIRST,
    after: after ?? undefined,
    order: order === 'DESC' ? 'desc' : 'asc',
    ...(search == null ? {} : { selection: await selectMatches(search) }),
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
} satisfies QueryResolvers['users'];

/** Most lists are no searches. */
const selectMatches = async (text: string) => (await import('../../features/search/search.ts')).selectMatches(text);

export const userByEmail = async function findByEmail(_, { email }, { users, budget }) {
  budget.spendRead(CLAIM_AND_USER);
  const user = await findUserByEmail(email);
  if (user) users.prime(user.id, user);
  return user;
} satisfies QueryResolvers['userByEmail'];

/** All connections of a request have the same count. */
export const totalCount = ((_, __, context) => {
  context.userCount ??= countUsers((items) => context.budget.spendCounted(items));
  return context.userCount;
}) satisfies UserConnectionResolvers['totalCount'];
