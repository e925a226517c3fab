import type { Actor } from '../../auth/caller.ts';
import type { Item, Key } from '../../dynamodb/keys.ts';
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

export type StoredGroup = {
  group: Group;
  /** Keys of the items that were written with the group. Empty if the attribute is missing or damaged. */
  derived: Key[];
  /** Set while a job removes the memberships of a deleted group. Requests treat the group as missing. */
  deletion: { at: string; by: Actor } | undefined;
};

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
    derived: parseDerived(item.derived),
    deletion: deleted === undefined ? undefined : { at: deleted, by: typeof deletedBy === 'string' ? deletedBy : '' },
  };
}

/** Formats keys for the attribute `derived`. */
export const formatDerived = (keys: readonly Key[]): string[] => keys.map(({ pk, sk }) => `${pk}${SEPARATOR}${sk}`);

/** Separates the parts of a key. No partition key contains a tab. */
const SEPARATOR = '\t';

function parseDerived(stored: unknown): Key[] {
  if (!Array.isArray(stored) || !stored.every((key) => typeof key === 'string' && key.includes(SEPARATOR))) return [];
  return stored.map((key) => {
    const at = key.indexOf(SEPARATOR);
    return { pk: key.slice(0, at), sk: key.slice(at + 1) };
  });
}

/** Throws for a damaged item. */
export function parseStoredGroup(item: Item): StoredGroup {
  const stored = tryParseStoredGroup(item);
  if (!stored) throw new Error(`Invalid group item ${item.pk}`);
  return stored;
}
