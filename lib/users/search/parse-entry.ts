import * as z from 'zod/mini';
import { type Item, parseSearchKey } from '../../dynamodb/keys.ts';
import type { User } from '../schema.ts';

const stored = z.object({
  sk: z.string(),
  name: z.string(),
  email: z.string(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

/** Undefined for a tombstone. */
export function parseEntry(item: Item): { text: string; user: User } | undefined {
  if (item.name === undefined) return undefined;
  const { sk, createdAt, updatedAt, ...fields } = stored.parse(item);
  const { text, id } = parseSearchKey(sk);
  const times = { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
  return { text, user: { id, ...fields, ...times } };
}
