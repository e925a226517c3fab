import { GraphQLError } from 'graphql';
import * as z from 'zod/mini';
import { isUserId } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { invalidInput, notFound } from '../../errors.ts';
import type { GraphqlContext } from '../../graphql/context.ts';
import type { Connection } from '../../graphql/schema/connection.ts';
import { DEFAULT_FIRST, firstOfConnection } from '../../graphql/schema/first-of-connection.ts';
import { clearPostLists, primeUser, startWrite } from '../../graphql/schema/mutations.ts';
import type {
  MutationResolvers,
  QueryDeletedUsersArgs,
  QueryUserHistoryArgs,
  UserHistoryConnectionResolvers,
} from '../../graphql/schema/resolver-types.ts';
import { decodeJsonCursor, encodeCursor } from '../../input/cursor.ts';
import { parseInput } from '../../input/parsing.ts';
import { idInput } from '../../input/schemas.ts';
import { sizes } from '../../sizes.ts';
import { readLastVersion } from '../change-log/read.ts';
import { isPosition } from '../change-log/topics.ts';
import { findEarlierRecords } from '../erasure/former-records.ts';
import { type DeletedUser, type DeletedUsersCursor, listLogEpochs, readDeletedUsers } from './deleted-users.ts';
import { findHistoryStart, type HistoryEntry, type HistoryPosition, hasLog, readHistory } from './history.ts';
import { restoreUser as restore } from './restore.ts';

const historyArguments = z.object({ id: idInput, first: firstOfConnection, after: z.nullish(z.string()) });

/** `id` of the user. */
type UserHistoryPage = Connection<HistoryEntry> & { id: string };

/** Throws NOT_FOUND for a user without record and history. */
export async function userHistory(
  _: unknown,
  input: QueryUserHistoryArgs,
  { users, budget }: GraphqlContext,
): Promise<UserHistoryPage> {
  const { id, first, after } = parseInput(historyArguments, input);
  requireLog();
  if (!isUserId(id)) throw notFound('User');
  const position = after == null ? undefined : await decodeHistoryCursor(id, after);
  budget.assertNotExceeded();
  const { entries, hasMore } = await readHistory(id, { limit: first ?? DEFAULT_FIRST, after: position });
  budget.spendRead(Math.max(1, entries.length));
  // The user exists if all changes have expired.
  if (entries.length === 0 && !position && !(await users.load(id))) throw notFound('User');
  const cursors = entries.map(encodeHistoryCursor);
  return { id, nodes: entries, cursors, hasNextPage: hasMore, hasPreviousPage: position !== undefined };
}

const deletedUsersArguments = z.object({ first: firstOfConnection, after: z.nullish(z.string()) });

export async function deletedUsers(
  _: unknown,
  input: QueryDeletedUsersArgs,
  { budget }: GraphqlContext,
): Promise<Connection<DeletedUser>> {
  const { first, after } = parseInput(deletedUsersArguments, input);
  requireLog();
  const start = after == null ? undefined : await decodeDeletedUsersCursor(after);
  budget.assertNotExceeded();
  const { deleted, end, hasMore } = await readDeletedUsers({ limit: first ?? DEFAULT_FIRST, after: start }, (items) =>
    budget.spendRead(items),
  );
  return {
    nodes: deleted,
    cursors: deleted.map(({ cursor }) => encodeDeletedUsersCursor(cursor)),
    hasNextPage: hasMore,
    hasPreviousPage: start !== undefined,
    endCursor: end && encodeDeletedUsersCursor(end),
  };
}

const encodeDeletedUsersCursor = ({ epoch, position, index }: DeletedUsersCursor): string =>
  encodeCursor(JSON.stringify([epoch, position, index]));

const deletedUsersCursor = z.tuple([
  z.string(),
  z.string().check(z.refine(isPosition)),
  z.int().check(z.minimum(0), z.maximum(sizes.changesPerEntry)),
]);

async function decodeDeletedUsersCursor(text: string): Promise<DeletedUsersCursor> {
  const [epoch, position, index] = decodeJsonCursor(text, deletedUsersCursor) ?? [];
  if (epoch === undefined || position === undefined || index === undefined || !(await listLogEpochs()).includes(epoch))
    throw invalidInput(['after'], 'must be a cursor of this connection');
  return { epoch, position, index };
}

const restoreUserInput = z.strictObject({ id: idInput });

export const restoreUser = (async (_, { input }, context) => {
  const { id } = parseInput(restoreUserInput, input);
  requireLog();
  if (!isUserId(id)) throw notFound('User');
  const user = await restore(id, startWrite(context));
  return clearPostLists({ user: primeUser(user, context) }, context);
}) satisfies MutationResolvers['restoreUser'];

/** Throws if histories are turned off: an empty history would look as if no change was ever made. */
export function requireLog(): void {
  if (environment.keepsChangeLog) return;
  throw new GraphQLError('Histories are turned off in this service', { extensions: { code: 'BAD_REQUEST' } });
}

const encodeHistoryCursor = ({ topic, sequence }: HistoryEntry): string =>
  encodeCursor(JSON.stringify([topic, sequence]));

const content = z.tuple([z.string(), z.string().check(z.refine(isPosition))]);

/** Also accepts cursors from a table that this one was restored from. */
async function decodeHistoryCursor(id: string, text: string): Promise<HistoryPosition> {
  const [topic, sequence] = decodeJsonCursor(text, content) ?? [];
  if (topic === undefined || sequence === undefined || !(await hasLog(id, topic)))
    throw invalidInput(['after'], 'must be a cursor of this connection');
  return { topic, sequence };
}

/** Reads a user or the last version, and the former records of the subject. */
const ITEMS_READ = 2;

export const earlierRecords = (async ({ id }, _, { users, budget }) => {
  budget.spendRead(ITEMS_READ);
  const user = (await users.load(id)) ?? (await readLastVersion(id));
  return user ? findEarlierRecords(user) : [];
}) satisfies UserHistoryConnectionResolvers['earlierRecords'];

export const since = () => new Date(findHistoryStart());
