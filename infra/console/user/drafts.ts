import { useSyncExternalStore } from 'react';
import type { SavedUser, UserInput } from '../api/users.ts';
import { createStore } from '../store.ts';

/** What the person typed, and the user that was shown then. */
export type Draft = { base: SavedUser; input: UserInput };

const KEY = 'drafts';

/** Unsaved changes. They stay while another user is open, and when the page is loaded again, as by a new sign-in. */
const drafts = createStore(parseDrafts(sessionStorage.getItem(KEY)));
drafts.subscribe(() => sessionStorage.setItem(KEY, JSON.stringify(drafts.get())));

const findDraft = (id: string) => drafts.get().find(({ base }) => base.id === id);
const isChanged = ({ base, input }: Draft) => input.name !== base.name || input.email !== base.email;

export const useDraft = (id: string) => useSyncExternalStore(drafts.subscribe, () => findDraft(id));

export const setDraft = (draft: Draft): void =>
  drafts.set((all) => [...all.filter(({ base }) => base.id !== draft.base.id), draft].filter(isChanged));

export const dropDraft = (id: string): void => drafts.set((all) => all.filter(({ base }) => base.id !== id));

export const clearDrafts = (): void => drafts.set(() => []);

/** Drops a draft that was saved. What was typed meanwhile becomes a change of the saved user. */
export function settleDraft(sent: Draft, saved: SavedUser): void {
  const latest = findDraft(sent.base.id);
  dropDraft(sent.base.id);
  if (latest && latest !== sent) setDraft({ base: saved, input: latest.input });
}

/** Leaves out what another version of the console may have stored differently. */
export function parseDrafts(json: string | null): Draft[] {
  const stored: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(stored) ? stored.filter(isDraft) : [];
}

function isDraft(value: unknown): value is Draft {
  const { base, input } = Object(value);
  const texts = [base?.id, base?.name, base?.email, input?.name, input?.email];
  return texts.every((text) => typeof text === 'string') && typeof base.version === 'number';
}
