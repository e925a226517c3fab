import { GraphQLError } from 'graphql';
import * as z from 'zod/mini';
import { isUserId } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { invalidInput, notFound } from '../../errors.ts';
import type { GraphqlContext } from '../../graphql/context.ts';
import { DEFAULT_FIRST, firstOfConnection } from '../../graphql/schema/connection.ts';
import type { QueryUserHistoryArgs, UserHistoryConnectionResolvers } from '../../graphql/schema/resolver-types.ts';
import { idInput } from '../../input/uuidv7.ts';
import { parseInput } from '../../input/validation.ts';
import { isPosition, userTopic } from '../change-log/topics.ts';
import { findHistoryStart, type HistoryEntry, readHistory } from './history.ts';

const historyArguments = z.object({ id: idInput, first: firstOfConnection, after: z.nullish(z.string()) });

/** https://relay.dev/graphql/connections.htm */
export type UserHistoryConnection = {
  id: string;
  entries: HistoryEntry[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  since: string;
};

/** Throws NOT_FOUND if there is neither such a user nor a change of one. */
export async function listUserHistory(
  input: QueryUserHistoryArgs,
  { users, budget }: GraphqlContext,
): Promise<UserHistoryConnection> {
  const { id, first, after } = parseInput(historyArguments, input);
  if (!environment.keepsChangeLog) throw turnedOff();
  if (!isUserId(id)) throw notFound('User');
  const sequence = after == null ? undefined : decodeCursor(id, after);
  budget.assertNotExceeded();
  const { entries, hasMore } = await readHistory(id, { limit: first ?? DEFAULT_FIRST, after: sequence });
  budget.spendRead(entries.length);
  // A user whose last change is no longer kept has no history.
  if (entries.length === 0 && !sequence && !(await users.load(id))) throw notFound('User');
  const since = new Date(findHistoryStart()).toISOString();
  return { id, entries, hasNextPage: hasMore, hasPreviousPage: sequence !== undefined, since };
}

/** An empty history would say that nobody has changed anything. */
const turnedOff = () =>
  new GraphQLError('Histories are turned off in this service', { extensions: { code: 'BAD_REQUEST' } });

const encodeCursor = (id: string, { sequence }: HistoryEntry): string =>
  Buffer.from(JSON.stringify([userTopic(id).name, sequence])).toString('base64url');

const cursor = z.tuple([z.string(), z.string().check(z.refine(isPosition))]);
const MAX_CURSOR_LENGTH = 200;

/** Cursors of another user, or of the table that this one was restored from, stand for nothing here. */
function decodeCursor(id: string, text: string): string {
  const parsed = text.length > MAX_CURSOR_LENGTH ? undefined : cursor.safeParse(parseJson(text)).data;
  if (parsed?.[0] !== userTopic(id).name) throw invalidInput(['after'], 'must be a cursor of this connection');
  return parsed[1];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

export const userHistoryConnection = {
  edges({ id, entries }, _, { budget }, info) {
    const edges = entries.map((node) => ({ cursor: encodeCursor(id, node), node }));
    return budget.spendReturned(edges, info);
  },
  nodes: ({ entries }, _, { budget }, info) => budget.spendReturned(entries, info),
  pageInfo({ id, entries, hasNextPage, hasPreviousPage }) {
    const [first, last] = [entries.at(0), entries.at(-1)];
    return {
      hasNextPage,
      hasPreviousPage,
      startCursor: first && encodeCursor(id, first),
      endCursor: last && encodeCursor(id, last),
    };
  },
} satisfies UserHistoryConnectionResolvers;
