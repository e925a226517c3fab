import { expect } from 'vitest';
import type { Change } from '../../../../lib/features/change-log/append.ts';
import { appendChanges } from '../../../../lib/features/change-log/append.ts';
import type { LoggedChange } from '../../../../lib/features/change-log/entry.ts';
import type { LogEnd } from '../../../../lib/features/change-log/order-log.ts';
import { subscribe } from '../../../../lib/features/change-log/subscribe.ts';
import { formatPosition, type Topic } from '../../../../lib/features/change-log/topics.ts';

/** Sequence numbers have the same length as in DynamoDB streams. */
let sequence = 100_000_000_000_000_000_000n;

export const newEnd = (): LogEnd => ({ number: 0, at: 0 });

const shared = newEnd();
let file: string | undefined;

/** Returns a new end for each test file, because files have empty tables but may share this module. */
function findSharedEnd(): LogEnd {
  const { testPath } = expect.getState();
  if (testPath !== file) Object.assign(shared, newEnd());
  file = testPath;
  return shared;
}

/** Appends changes. Throws if a change fails. */
export async function append(changes: Change[], end = findSharedEnd()): Promise<void> {
  for (const error of (await appendChanges(changes, end)).values()) throw error;
}

export const newChange = (id: string, given: Partial<Change> = {}): Change => ({
  kind: 'UPDATED',
  id,
  at: new Date().toISOString(),
  streamedAt: Date.now(),
  by: null,
  version: 1,
  item: { pk: `USER#${id}` },
  sequence: formatPosition(String(sequence++)),
  ...given,
});

export async function startSubscriber(topic: Topic, stop: AbortSignal, after?: string) {
  const changes = await subscribe(topic, after, stop);
  const next = async (): Promise<LoggedChange> => (await changes.next()).value;
  return {
    next,
    async take(count: number): Promise<LoggedChange[]> {
      const taken: LoggedChange[] = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
  };
}

export const listIds = (changes: { id: string }[]) => changes.map(({ id }) => id);
