import type { Change } from '../../../lib/change-log/append.ts';
import { type LoggedChange, subscribe } from '../../../lib/change-log/subscribe.ts';
import { formatPosition, type Topic } from '../../../lib/change-log/topics.ts';

let sequence = 1000;

/** A change as `on-change` reads it from the stream. */
export const newChange = (id: string, given: Partial<Change> = {}): Change => ({
  entity: 'user',
  kind: 'UPDATED',
  id,
  userId: id,
  at: new Date().toISOString(),
  streamedAt: Date.now(),
  item: null,
  sequence: formatPosition(sequence++),
  ...given,
});

/** A subscription that starts now, or after a cursor. */
export function startSubscriber(topic: Topic, stop: AbortSignal, after?: string) {
  const changes = subscribe(topic, after, stop);
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
