import { useSyncExternalStore } from 'react';
import type { SavedUser, UserInput } from '../api/users.ts';
import { createSessionStore } from '../store.ts';
import { clearTitleDrafts } from './title-drafts.ts';

/** What the person typed, and the user that was shown then. */
export type Draft = { base: SavedUser; input: UserInput };

/** Unsaved changes. They stay while another user is open, and when the page is loaded again, as by a new sign-in. */
const drafts = createSessionStore('drafts', parseDrafts);

const findDraft = (id: string) => drafts.get().find(({ base }) => base.id === id);
const isChanged = ({ base, input }: Draft) => !isSaved(input, base);

export const useDraft = (id: string) => useSyncExternalStore(drafts.subscribe, () => findDraft(id));

export const setDraft = (draft: Draft): void =>
  drafts.set((all) => [...all.filter(({ base }) => base.id !== draft.base.id), draft].filter(isChanged));

export const dropDraft = (id: string): void => drafts.set((all) => all.filter(({ base }) => base.id !== id));

export function clearDrafts(): void {
  drafts.set(() => []);
  clearTitleDrafts();
}

/** Also what was saved without an answer, or by others. */
export const isSaved = (input: UserInput, { name, email }: UserInput): boolean =>
  input.name === name && input.email === email;

/** Drops a draft that was saved. What was typed meanwhile becomes a change of the saved user. */
export function settleDraft(sent: Draft, saved: SavedUser): void {
  const latest = findDraft(sent.base.id);
  dropDraft(sent.base.id);
  if (latest && latest !== sent) setDraft({ base: saved, input: latest.input });
}

export function parseDrafts(stored: unknown): Draft[] {
  return Array.isArray(stored) ? stored.filter(isDraft) : [];
}

function isDraft(value: unknown): value is Draft {
  const { base, input } = Object(value);
  const texts = [base?.id, base?.name, base?.email, input?.name, input?.email];
  return texts.every((text) => typeof text === 'string') && typeof base.version === 'number';
}
