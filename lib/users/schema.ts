import * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { parseUserId } from '../dynamodb/keys.ts';
import type { OwnValues } from '../features/own-fields/declared.ts';
import { exampleValues } from '../features/own-fields/example-user.ts';

/** REST shows id, name, email and the own fields; GraphQL all. Times are ISO 8601 in UTC; `version` counts the writes, from 1. */
export type User = {
  id: string;
  name: string;
  email: string;
  fields?: OwnValues | undefined;
  createdAt: string;
  updatedAt: string;
  version: number;
  /** Who made this version. */
  by?: Actor | undefined;
};

/** Users are written with who does it; what was stored before writes named it has no `by`. */
export type NewVersion = User & { by: Actor };

/** Stored items may hold more attributes: those that a later version of the service adds. */
const stored = z.object({
  pk: z.string(),
  name: z.string(),
  email: z.string(),
  fields: z.optional(z.record(z.string(), z.unknown())),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  by: z.optional(z.string()),
});

export function parseUser(item: unknown): User {
  const { pk, ...fields } = stored.parse(item);
  return { id: parseUserId(pk), ...fields };
}

/** Documents and samples show this user. */
export const exampleUser: User = {
  id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  fields: exampleValues,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  version: 1,
};
