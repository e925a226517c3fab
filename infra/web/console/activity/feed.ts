import type { User } from '../api/user-details.ts';
import { createStore } from '../store.ts';

export type Change = {
  cursor: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  id: string;
  at: string;
  user: User | null;
};

export type Feed = {
  status: 'connecting' | 'live' | 'paused' | 'failed';
  /** Latest first. */
  changes: Change[];
  /** Where the next stream resumes: a cursor or, before the first change, a time. */
  cursor?: string | undefined;
  /** When the first stream started, by the clock of the service. */
  startedAt?: string;
  error?: string | undefined;
};

const MAX_CHANGES = 200;

export const feed = createStore<Feed>({ status: 'connecting', changes: [] });

export const updateFeed = (update: Partial<Feed>): void => feed.set((value) => ({ ...value, ...update }));

/** Oldest first. */
export function addChanges(added: Change[]): void {
  const changes = [...added.toReversed(), ...feed.get().changes].slice(0, MAX_CHANGES);
  updateFeed({ changes, cursor: added.at(-1)?.cursor });
}
