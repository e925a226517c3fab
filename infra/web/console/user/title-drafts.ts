import { useSyncExternalStore } from 'react';
import { createSessionStore } from '../store.ts';

/** The title of a new post, by author. */
type Titles = Record<string, string>;

const titles = createSessionStore<Titles>('titles', parseTitles);

export function useTitleDraft(authorId: string): string {
  return useSyncExternalStore(titles.subscribe, () => titles.get()[authorId] ?? '');
}

export const setTitleDraft = (authorId: string, title: string): void =>
  titles.set((all) => ({ ...all, [authorId]: title }));

/** Drops a title that was sent. What was typed meanwhile stays. */
export const settleTitleDraft = (authorId: string, sent: string): void =>
  titles.set((all) => (all[authorId] === sent ? { ...all, [authorId]: '' } : all));

export const clearTitleDrafts = (): void => titles.set(() => ({}));

function parseTitles(stored: unknown): Titles {
  const entries = Object.entries(Object(stored));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
