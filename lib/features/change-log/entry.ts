import * as z from 'zod/mini';
import type { Item } from '../../dynamodb/keys.ts';

// It is not in change.ts: on-change, which writes entries, does without zod, and publish-events, which reads them, without the table.

const entry = z.object({
  pk: z.string(),
  sk: z.string(),
  kind: z.enum(['CREATED', 'UPDATED', 'DELETED']),
  id: z.string(),
  at: z.string(),
  streamedAt: z._default(z.number(), 0),
  by: z._default(z.nullable(z.string()), null),
  version: z._default(z.nullable(z.number()), null),
  /** The stored item as the change left it. */
  item: z._default(z.nullable(z.record(z.string(), z.unknown())), null),
  /** The attributes that an update has replaced, null where there was none before; all of what was deleted. */
  before: z.optional(z.record(z.string(), z.unknown())),
});

/** An entry of a user's log, or of the log of an author's posts. */
export type ChangeEntry = Omit<z.infer<typeof entry>, 'pk' | 'sk'> & {
  entity: 'user' | 'post';
  /** The id of the user, or of the author. */
  userId: string;
  /** The name of the log, which begins with the epoch. */
  topic: string;
  /** The position of the entry in its log. */
  sequence: string;
};

const LOG = /^CHANGES#(?<topic>[^#]+#(?<name>USER|POSTS)#(?<userId>.+))$/;

/** Returns the name of the log that has the entry; undefined for items of others. */
export const parseTopic = (pk: string): string | undefined => LOG.exec(pk)?.groups?.topic;

/** Throws for an entry that was damaged by hand. */
export const parseChangeEntry = (stored: Item): ChangeEntry => toChangeEntry(entry.parse(stored));

/** Logs an entry that was damaged by hand, and returns undefined: one entry must not stop the readers of all others. */
export function readChangeEntry(stored: Item): ChangeEntry | undefined {
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
