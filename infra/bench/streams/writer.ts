import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { DIRECTORY, userKey } from '../../../lib/dynamodb/keys.ts';
import type { Change } from '../../../lib/features/change-log/append.ts';
import { appendChanges } from '../../../lib/features/change-log/append.ts';
import type { LogEnd } from '../../../lib/features/change-log/order-log.ts';
import { formatPosition } from '../../../lib/features/change-log/topics.ts';
import type { Arrival } from './subscriber.ts';
import { serve } from './worker.ts';

export type Writer = typeof methods;

/**
 * Writes changes directly to the change log, because the servers read nothing else. `on-change` and the embedded
 * database's stream would compete with the servers for the CPU.
 */
const methods = {
  async createUsers(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => uuidv7());
    await putItems(ids.map((id) => createItem(id, 1)));
    for (const id of ids) versions.set(id, 1);
    return ids;
  },

  /** Changes the users in turn, `rate` per second in total. Returns when DynamoDB acknowledged each change. */
  async change({ ids, rate, seconds }: { ids: string[]; rate: number; seconds: number }): Promise<Arrival[]> {
    const startedAt = performance.now();
    const elapsed = () => (performance.now() - startedAt) / 1000;
    const written: Arrival[] = [];
    while (elapsed() < seconds || written.length < rate * seconds) {
      const due = Math.floor(Math.min(seconds, elapsed()) * rate) - written.length;
      const numbers = Array.from({ length: Math.min(due, MAX_BATCH) }, (_, index) => written.length + index);
      written.push(...(await appendToLog(numbers.map((number) => ids[number % ids.length] ?? ''))));
      if (due < MAX_BATCH) await sleep(BATCH_MS);
    }
    return written;
  },
};

const BATCH_MS = 200;
const MAX_BATCH = 100;

const versions = new Map<string, number>();
let changes = 0;
const end: LogEnd = { number: 0, at: 0 };

async function appendToLog(ids: string[]): Promise<Arrival[]> {
  if (ids.length === 0) return [];
  const appended = ids.map(createChange);
  for (const error of (await appendChanges(appended, end)).values()) throw error;
  const at = Date.now();
  return appended.map(({ id, version }) => ({ userId: id, version, at }));
}

function createChange(id: string): Change {
  const version = (versions.get(id) ?? 0) + 1;
  versions.set(id, version);
  const item = createItem(id, version);
  const { updatedAt: at, name } = item;
  const [before, sequence] = [{ name, updatedAt: at, version: version - 1 }, formatPosition(++changes)];
  return { kind: 'UPDATED', id, at, streamedAt: Date.parse(at), by: null, version, item, before, sequence };
}

function createItem(id: string, version: number) {
  const at = new Date().toISOString();
  const user = { name: `Ada Lovelace ${version}`, email: `ada.${id}@example.com`, createdAt: at, updatedAt: at };
  return { ...userKey(id), directory: DIRECTORY, ...user, version };
}

serve(methods);
