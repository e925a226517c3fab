import type { Actor } from '../../auth/caller.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { toUtc } from '../../input/time.ts';
import { parseGroupId } from './keys.ts';

/** Times are ISO 8601 in UTC. `version` starts at 1. */
export type Group = {
  id: string;
  name: string;
  externalId: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
  by?: Actor | undefined;
};

/** Stored versions may lack `by`. */
export type NewGroupVersion = Group & { by: Actor };

/**
 * `deletion` is set while a job removes the memberships of a deleted group. Requests treat the group as missing.
 * `at` is ISO 8601 in UTC.
 */
export type StoredGroup = { group: Group; deletion: { at: string; by: Actor } | undefined };

/** Undefined for a damaged item. Ignores attributes that a later release may add. */
export function tryParseStoredGroup(item: Item): StoredGroup | undefined {
  const { pk, name, externalId = null, createdAt, updatedAt, version, by, deletedAt, deletedBy } = item;
  const [created, updated, deleted] = [toUtc(createdAt), toUtc(updatedAt), toUtc(deletedAt)];
  if (typeof pk !== 'string' || typeof name !== 'string' || typeof version !== 'number') return undefined;
  if (externalId !== null && typeof externalId !== 'string') return undefined;
  if (created === undefined || updated === undefined) return undefined;
  const id = parseGroupId(pk);
  const group = { id, name, externalId, createdAt: created, updatedAt: updated, version };
  return {
    group: { ...group, ...(typeof by === 'string' ? { by } : {}) },
    deletion: deleted === undefined ? undefined : { at: deleted, by: typeof deletedBy === 'string' ? deletedBy : '' },
  };
}

/** Throws for a damaged item. */
export function parseStoredGroup(item: Item): StoredGroup {
  const stored = tryParseStoredGroup(item);
  if (!stored) throw new Error(`Invalid group item ${item.pk}`);
  return stored;
}
