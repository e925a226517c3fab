import * as z from 'zod/mini';
import type { Item, LOGGED_SORT_KEYS } from '../../dynamodb/keys.ts';
import { dateTime } from '../../input/schemas.ts';

// A separate file, because `on-change` writes entries without zod, and `publish-events` reads them without a connection
// to the table.

const entry = z.object({
  pk: z.string(),
  sk: z.string(),
  kind: z.enum(['CREATED', 'UPDATED', 'DELETED']),
  id: z.string(),
  at: dateTime,
  streamedAt: z._default(z.number(), 0),
  by: z._default(z.nullable(z.string()), null),
  version: z._default(z.nullable(z.number()), null),
  mergedInto: z.optional(z.string()),
  item: z._default(z.nullable(z.record(z.string(), z.unknown())), null),
  /** Attributes that an update replaced (null if absent before), or all attributes of a deleted item. */
  before: z.optional(z.record(z.string(), z.unknown())),
});

export type ChangeEntry = Omit<z.infer<typeof entry>, 'pk' | 'sk'> & {
  entity: keyof typeof LOGGED_SORT_KEYS;
  userId: string;
  /** Name of the log, which includes the epoch of its table (topics.ts). */
  topic: string;
  sequence: string;
};

/** Maximum difference between the clocks of a writer, a reader and DynamoDB. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** How far `at` may be after the stream's time. DynamoDB Local rounds that down to the minute. */
const MAX_AHEAD_MS = 60_000 + MAX_CLOCK_SKEW_MS;

/**
 * When the change was made, in ms: `at`, if it fits the stream's time. The `updatedAt` of an imported user may be years
 * old, or in the future.
 */
export const findChangeTime = ({ at, streamedAt }: Pick<ChangeEntry, 'at' | 'streamedAt'>): number =>
  streamedAt === 0 ? Date.parse(at) : Math.max(streamedAt, Math.min(Date.parse(at), streamedAt + MAX_AHEAD_MS));

/** `cursor`: position after the change, for a reader of its log or of the changes of all users. */
export type LoggedChange = ChangeEntry & { cursor: string };

const LOG = /^CHANGES#(?<topic>[^#]+#(?<name>USER|POSTS)#(?<userId>.+))$/;

export const parseTopic = (pk: string): string | undefined => LOG.exec(pk)?.groups?.topic;

/** Throws if manual changes have damaged the entry. */
export const parseChangeEntry = (stored: Item): ChangeEntry => toChangeEntry(entry.parse(stored));

/** Undefined for a damaged entry, which must not block the readers of all others. */
export function tryParseChangeEntry(stored: Item): ChangeEntry | undefined {
  const { data, error } = entry.safeParse(stored);
  if (data) return toChangeEntry(data);
  const issues = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  console.error({ event: 'unreadable entry of the change log', pk: stored.pk, sk: stored.sk, issues });
  return undefined;
}

function toChangeEntry({ pk, sk: sequence, ...change }: z.infer<typeof entry>): ChangeEntry {
  const { topic = '', name, userId = '' } = LOG.exec(pk)?.groups ?? {};
  return { ...change, entity: name === 'USER' ? 'user' : 'post', userId, topic, sequence };
}
