import * as z from 'zod/mini';
import type { GraphqlContext } from '../../graphql/context.ts';
import type { Connection } from '../../graphql/schema/connection.ts';
import { DEFAULT_FIRST, firstOfConnection } from '../../graphql/schema/first-of-connection.ts';
import type { QueryUserChangesArgs, ResolversParentTypes } from '../../graphql/schema/resolver-types.ts';
import { parseInput } from '../../input/parsing.ts';
import { findStart, readChangesPage } from './changes.ts';
import { encodeLogCursor } from './cursor.ts';
import { allUsers } from './topics.ts';
import { showUserChange } from './versions.ts';

const changesArguments = z.object({ first: firstOfConnection, after: z.nullish(z.string()) });

/** A page may be empty although more follow. */
export async function userChanges(
  _: unknown,
  { since, ...input }: QueryUserChangesArgs,
  { budget }: GraphqlContext,
): Promise<Connection<ResolversParentTypes['UserChange']>> {
  const { first, after } = parseInput(changesArguments, input);
  budget.assertNotExceeded();
  const start = await findStart({ after: after ?? undefined, since: since?.toISOString() });
  const page = await readChangesPage(start, first ?? DEFAULT_FIRST, (items) => budget.spendRead(items));
  return {
    nodes: page.changes.map(showUserChange),
    cursors: page.changes.map(({ cursor }) => cursor),
    hasNextPage: page.hasMore,
    hasPreviousPage: after != null,
    endCursor: encodeLogCursor(allUsers, page.end),
  };
}
