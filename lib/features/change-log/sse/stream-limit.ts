import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { getItems } from '../../../dynamodb/batch.ts';
import { type WriteResult, writeIf } from '../../../dynamodb/conditional.ts';
import type { Key } from '../../../dynamodb/keys.ts';
import { retryOnConflict } from '../../../dynamodb/requests.ts';
import { environment } from '../../../environment.ts';
import { slotsKey } from '../keys.ts';

type StreamLimits = { total: number; perCaller: number };

export type ReleaseSlot = () => Promise<void>;
type AcquiredSlot =
  | { releaseSlot: ReleaseSlot; exceeded?: never }
  | { releaseSlot?: never; exceeded: keyof StreamLimits };

/**
 * A slot is the right to one open stream for `seconds`. `total` leaves capacity for queries, `perCaller` leaves slots
 * for other callers.
 */
export type AcquireSlot = (caller: string, limits: StreamLimits, seconds: number) => Promise<AcquiredSlot>;

const ALL_CALLERS = 'ALL';

/** Counts slots in the table, for Lambda environments that serve one stream each. Unreleased slots expire. */
export const acquireTableSlot: AcquireSlot = async (caller, limits, seconds) => {
  const pool = createHash('sha256').update(caller).digest('base64url');
  const releaseOwn = await takeSlot(pool, limits.perCaller, seconds);
  if (!releaseOwn) return { exceeded: 'perCaller' };
  const releaseShared = await takeSlot(ALL_CALLERS, limits.total, seconds).catch(async (error) => {
    await releaseOwn();
    throw error;
  });
  if (!releaseShared) {
    await releaseOwn();
    return { exceeded: 'total' };
  }
  return { releaseSlot: async () => void (await Promise.all([releaseOwn(), releaseShared()])) };
};

/**
 * Slots per item, which stores leases as a string set of `<expiry in seconds>#<random>`, below 4 KB (one read unit).
 */
const SLOTS_PER_ITEM = 160;

type Slots = { key: Key; capacity: number };

async function takeSlot(pool: string, limit: number, seconds: number): Promise<ReleaseSlot | undefined> {
  const items = listItems(pool, limit);
  // Round up, because the slot must not expire before its stream.
  const expiresAt = Math.ceil(environment.now() / 1000) + seconds;
  const lease = `${expiresAt}#${environment.randomBytes(8).toString('base64url')}`;
  // An item with room needs no read.
  const [first] = items;
  if (first && !(await addLease(first, lease, expiresAt)).failure) return () => removeLeases(first.key, [lease]);
  const taken = await retryOnConflict(async () => {
    const free = await findFree(items);
    if (!free) return undefined;
    return (await addLease(free, lease, expiresAt)).failure ? 'retry' : free;
  });
  return taken && (() => removeLeases(taken.key, [lease]));
}

function listItems(pool: string, limit: number): Slots[] {
  const items = Array.from({ length: Math.ceil(limit / SLOTS_PER_ITEM) }, (_, item) => ({
    key: slotsKey(pool, item),
    capacity: Math.min(SLOTS_PER_ITEM, limit - item * SLOTS_PER_ITEM),
  }));
  const start = Math.floor((environment.random() * limit) / SLOTS_PER_ITEM);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Items read to find a free slot. If 1 in 100 slots is free, one read almost always finds it. */
const ITEMS_PER_READ = 8;

const key = z.object({ pk: z.string(), sk: z.string() });
const storedSlots = z.extend(key, { leases: z._default(z.set(z.string()), new Set()) });

async function findFree(items: Slots[]): Promise<Slots | undefined> {
  for (let start = 0; start < items.length; start += ITEMS_PER_READ) {
    const part = items.slice(start, start + ITEMS_PER_READ);
    const keys = part.map(({ key }) => key);
    const stored = z.array(storedSlots).parse(await getItems(keys, { ConsistentRead: true }));
    const leases = new Map(stored.map(({ sk, leases }) => [sk, [...leases]]));
    const free = part.filter(({ key, capacity }) => (leases.get(key.sk) ?? []).filter(isActive).length < capacity);
    const chosen = free[Math.floor(environment.random() * free.length)];
    if (!chosen) continue;
    const expired = (leases.get(chosen.key.sk) ?? []).filter((lease) => !isActive(lease));
    if (expired.length > 0) await removeLeases(chosen.key, expired);
    return chosen;
  }
  return undefined;
}

const isActive = (lease: string) => Number.parseInt(lease, 10) > Math.floor(environment.now() / 1000);

/**
 * Adds a lease to the item, or returns false if the item is full. `contains` lets a retry succeed after a lost answer.
 */
const addLease = ({ key: Key, capacity }: Slots, lease: string, expiresAt: number): Promise<WriteResult> =>
  writeIf('Update', {
    Key,
    UpdateExpression: 'SET expiresAt = :expiresAt ADD leases :leases',
    ConditionExpression: 'attribute_not_exists(leases) OR size(leases) < :capacity OR contains(leases, :lease)',
    ExpressionAttributeValues: {
      ':expiresAt': expiresAt,
      ':leases': new Set([lease]),
      ':capacity': capacity,
      ':lease': lease,
    },
  });

/** Removes leases. Safe to repeat: each lease belongs to one stream. Never recreates an item that TTL has deleted. */
async function removeLeases(Key: Key, leases: string[]): Promise<void> {
  await writeIf('Update', {
    Key,
    UpdateExpression: 'DELETE leases :leases',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':leases': new Set(leases) },
  });
}
