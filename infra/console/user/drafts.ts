import type { User } from '../api/user-details.ts';
import type { UserInput } from '../api/users.ts';
import { createStore, useStore } from '../store.ts';

/** What the person typed, and the user that was shown then. */
export type Draft = { base: User; input: UserInput };

/** Unsaved changes by the id of their user: they stay while another user is open. */
const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

export const useDrafts = () => useStore(drafts);

export const setDraft = (id: string, draft: Draft): void => drafts.set((all) => new Map(all).set(id, draft));

export const dropDraft = (id: string): void => drafts.set((all) => new Map([...all].filter(([each]) => each !== id)));
