import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { createKey } from '../../../../lib/client/client.ts';
import type { SavedUser, UserInput } from '../api/users.ts';
import { isSameValue, listMembers } from '../own-fields.ts';
import { createSessionStore, useStore } from '../store.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const value = z.nullable(z.union([scalar, z.array(scalar)]));
const userInput = z.catchall(z.object({ name: z.string(), email: z.string() }), value);
/** A draft is what the person typed, with the user that was shown then: libraries of forms know no versions, by which conflicts are found. */
const draft = z.object({ base: z.extend(userInput, { id: z.string(), version: z.number() }), input: userInput });

export type Draft = z.infer<typeof draft>;

/** Unsaved changes stay while another user is open, and when the page is loaded again, as by a new sign-in. */
const drafts = createSessionStore('drafts', parseDrafts);

export const findDraft = (id: string) => drafts.get().find(({ base }) => base.id === id);
const isChanged = ({ base, input }: Draft) => !isSaved(input, base);

export const useDraft = (id: string) => useSyncExternalStore(drafts.subscribe, () => findDraft(id));

export const setDraft = (draft: Draft): void =>
  drafts.set((all) => [...all.filter(({ base }) => base.id !== draft.base.id), draft].filter(isChanged));

export const dropDraft = (id: string): void => drafts.set((all) => all.filter(({ base }) => base.id !== id));

export const hasDrafts = (): boolean =>
  drafts.get().length > 0 || titleEdits.get().length > 0 || Object.values(titles.get()).some(Boolean);

export function clearDrafts(): void {
  drafts.set(() => []);
  titles.set(() => ({}));
  titleEdits.set(() => []);
  creationKeys.set(() => ({}));
}

/** A draft may have been saved although the answer was lost, or by others. */
export const isSaved = (input: UserInput, saved: UserInput): boolean => listChangedMembers(saved, input).length === 0;

/** Drops a draft that was saved. What was typed meanwhile becomes a change of the saved user. */
export function settleDraft(sent: Draft, saved: SavedUser): void {
  const latest = findDraft(sent.base.id);
  dropDraft(sent.base.id);
  if (latest && latest !== sent) setDraft({ base: saved, input: latest.input });
}

/** A save takes all of a draft, or what the person chose after a conflict. */
export type Save = { draft: Draft; base: SavedUser; input: UserInput };

/** Returns whether a save is a choice after a conflict: its base is then the version of the others. */
export const isChoice = (draft: Draft, save: Save | undefined): boolean =>
  save !== undefined && save.base.version > draft.base.version;

const listChangedMembers = (base: UserInput, input: UserInput): string[] =>
  listMembers().filter((name) => !isSameValue(input[name], base[name]));

/** Returns the members that differ from the base. Null clears an own field. */
export const findChangedFields = (base: UserInput, input: UserInput): Partial<UserInput> =>
  Object.fromEntries(listChangedMembers(base, input).map((name) => [name, input[name] ?? null]));

/** Returns what the form edits of a user. */
export const pickInput = (user: UserInput): UserInput => ({
  ...Object.fromEntries(listMembers().map((name) => [name, user[name] ?? null])),
  name: user.name,
  email: user.email,
});

function parseEach<T>(type: z.ZodMiniType<T>, stored: unknown): T[] {
  return (
    z
      .array(z.unknown())
      .safeParse(stored)
      .data?.flatMap((each) => type.safeParse(each).data ?? []) ?? []
  );
}

export function parseDrafts(stored: unknown): Draft[] {
  return parseEach(draft, stored);
}

const texts = z.record(z.string(), z.string());
const parseTexts = (stored: unknown) => texts.safeParse(stored).data ?? {};

/** Nothing is left of an author who was deleted here. */
export function dropTitles(authorId: string): void {
  setTitleDraft(authorId, '');
  titleEdits.set((all) => all.filter((edit) => edit.authorId !== authorId));
}

/** The keys are the ids of the authors; the values are titles of new posts. */
const titles = createSessionStore('titles', parseTexts);

export function useTitleDraft(authorId: string): string {
  return useSyncExternalStore(titles.subscribe, () => titles.get()[authorId] ?? '');
}

export const setTitleDraft = (authorId: string, title: string): void =>
  titles.set((all) => ({ ...all, [authorId]: title }));

/** Drops a title that was sent. What was typed meanwhile stays. */
export const settleTitleDraft = (authorId: string, sent: string): void =>
  titles.set((all) => (all[authorId] === sent ? { ...all, [authorId]: '' } : all));

/** What was typed as the title of a post, with the title that it had then: posts have no versions. */
const titleEdit = z.object({ id: z.string(), authorId: z.string(), base: z.string(), title: z.string() });

export type TitleEdit = z.infer<typeof titleEdit>;

const titleEdits = createSessionStore('title-edits', (stored) => parseEach(titleEdit, stored));

export const useTitleEdits = (authorId: string): TitleEdit[] =>
  useStore(titleEdits).filter((edit) => edit.authorId === authorId);

export const useTitleEdit = (id: string): TitleEdit | undefined => useStore(titleEdits).find((edit) => edit.id === id);

export const setTitleEdit = (edit: TitleEdit): void =>
  titleEdits.set((all) =>
    [...all.filter(({ id }) => id !== edit.id), edit].filter(({ base, title }) => title !== base),
  );

export const dropTitleEdit = (id: string): void => titleEdits.set((all) => all.filter((edit) => edit.id !== id));

/** Drops a title that was saved. What was typed meanwhile becomes a change of the saved one. */
export const settleTitleEdit = (id: string, sent: string, saved: string): void =>
  titleEdits.set((all) =>
    all
      .filter((edit) => edit.id !== id || edit.title !== sent)
      .map((edit) => (edit.id === id ? { ...edit, base: saved } : edit)),
  );

/** The values are the idempotency keys of what is typed; the keys are the ids of the authors of posts, and `new` for a user. */
const creationKeys = createSessionStore('creation-keys', parseTexts);

/** What is typed is created once, however often it is sent, also when the page is left before the response comes. */
export const findCreationKey = (id: string): string => creationKeys.get()[id] ?? renewCreationKey(id);

export function renewCreationKey(id: string): string {
  const key = createKey();
  creationKeys.set((all) => ({ ...all, [id]: key }));
  return key;
}
