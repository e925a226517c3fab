import { useSyncExternalStore } from 'react';
import * as z from 'zod/mini';
import { createKey } from '../../../../lib/client/client.ts';
import type { UserInput, UserVersion } from '../api/users.ts';
import { canReplace, findField, isSameValue, listMembers } from '../own-fields.ts';
import { createSessionStore, useStore } from '../store.ts';

/**
 * `base` is the edited version. `key` is a creation's idempotency key, sent again if the page was left before the
 * response.
 */
type DraftOf<Base, Input> = { base: Base; input: Input; key: string };

/** Drafts survive reloads. */
function createDrafts<Base extends { id: string }, Input>(
  name: string,
  schemas: { base: z.ZodMiniType<Base>; input: z.ZodMiniType<Input> },
  isSaved: (input: Input, base: Base) => boolean,
) {
  type Draft = DraftOf<Base, Input>;
  const draft = z.object({ ...schemas, key: z.string() });
  const store = createSessionStore(name, (stored) =>
    (z.array(z.unknown()).safeParse(stored).data ?? []).flatMap(
      // Cast: `draft` consists of the schemas of this type.
      (each) => (draft.safeParse(each).data as Draft | undefined) ?? [],
    ),
  );
  const find = (id: string) => store.get().find(({ base }) => base.id === id);
  const drop = (id: string) => store.set((all) => all.filter(({ base }) => base.id !== id));
  const set = (base: Base, input: Input): Draft => {
    const draft = { base, input, key: createKey() };
    const kept = isSaved(input, base) ? [] : [draft];
    store.set((all) => [...all.filter((other) => other.base.id !== base.id), ...kept]);
    return draft;
  };
  return {
    find,
    drop,
    set,
    list: store.get,
    clear: () => store.set(() => []),
    useDraft: (id: string) => useSyncExternalStore(store.subscribe, () => find(id)),
    useAll: () => useStore(store),
    /** Text typed during the save becomes a new draft, based on the saved version. */
    settle(sent: Draft, saved: Base): void {
      const latest = find(sent.base.id);
      drop(sent.base.id);
      if (latest && latest !== sent) set(saved, latest.input);
    },
  };
}

const userInput = z.catchall(z.object({ name: z.string(), email: z.string() }), z.json());

/** True if the save's response was lost, or another client saved the same. */
export const isSaved = (input: UserInput, saved: UserInput): boolean => listChangedMembers(saved, input).length === 0;

type Base = UserInput & UserVersion;
export type Draft = DraftOf<Base, UserInput>;

export const userDrafts = createDrafts<Base, UserInput>(
  'drafts',
  { base: z.extend(userInput, { id: z.string(), version: z.number() }), input: userInput },
  isSaved,
);

const newUser = { id: 'new', name: '', email: '', version: 0 };

export const emptyDraft: Draft = { base: newUser, input: { name: '', email: '' }, key: createKey() };

const post = z.object({ id: z.string(), authorId: z.string(), title: z.string() });

type Post = z.infer<typeof post>;
export type TitleDraft = DraftOf<Post, { title: string }>;

/** Posts have no versions: the title itself is compared. */
export const titleDrafts = createDrafts(
  'titles',
  { base: post, input: z.object({ title: z.string() }) },
  ({ title }, base) => title === base.title,
);

export const createTitleDraft = (base: Post): TitleDraft => ({ base, input: { title: base.title }, key: createKey() });

export const describeNewPost = (authorId: string): Post => ({ id: `new-${authorId}`, authorId, title: '' });

export const useTitleEdits = (authorId: string) =>
  titleDrafts.useAll().filter(({ base }) => base.authorId === authorId && base.title !== '');

export function dropTitles(authorId: string): void {
  for (const { base } of titleDrafts.list()) if (base.authorId === authorId) titleDrafts.drop(base.id);
}

const groupInput = z.object({ name: z.string(), externalId: z.string() });

type GroupInput = z.infer<typeof groupInput>;
type GroupBase = GroupInput & { id: string; version: number };
export type GroupDraft = DraftOf<GroupBase, GroupInput>;

/** An empty external id is none. */
export const groupDrafts = createDrafts<GroupBase, GroupInput>(
  'groups',
  { base: z.extend(groupInput, { id: z.string(), version: z.number() }), input: groupInput },
  ({ name, externalId }, base) => name === base.name && externalId === base.externalId,
);

const allDrafts = [userDrafts, titleDrafts, groupDrafts];

export const hasDrafts = (): boolean => allDrafts.some(({ list }) => list().length > 0);

export function clearDrafts(): void {
  for (const { clear } of allDrafts) clear();
}

export type Save = { draft: Draft; base: Base; input: UserInput };

/** A choice after a conflict is based on the other client's version. */
export const isChoice = (draft: Draft, save: Save | undefined): boolean =>
  save !== undefined && save.base.version > draft.base.version;

const listChangedMembers = (base: UserInput, input: UserInput): string[] =>
  listMembers().filter((name) => !isSameValue(input[name], base[name]));

/** Null clears an own field. */
export const findChangedFields = (base: UserInput, input: UserInput): Partial<UserInput> =>
  Object.fromEntries(listChangedMembers(base, input).map((name) => [name, input[name] ?? null]));

/**
 * Merges a draft with another client's newer version. `theirs`: members with only their change. Undefined if both
 * changed a member to different values.
 */
export function mergeDraft({ base, input }: Draft, latest: UserInput) {
  const mine = listChangedMembers(base, input);
  const theirs = listChangedMembers(base, latest).filter((name) => !isSameValue(latest[name], input[name]));
  if (theirs.some((name) => mine.includes(name))) return undefined;
  return { input: { ...input, ...Object.fromEntries(theirs.map((name) => [name, latest[name] ?? null])) }, theirs };
}

export const pickInput = (user: UserInput): UserInput => ({
  ...Object.fromEntries(listMembers().map((name) => [name, user[name] ?? null])),
  name: user.name,
  email: user.email,
});

/** Keeps logins, which the person may have added since, the last sign-in, and values that cannot be replaced. */
export const pickRestorable = (earlier: UserInput, current: UserInput): UserInput => {
  const kept = listMembers().filter((name) => {
    const { subject, signIn } = findField(name) ?? {};
    const isLogin = subject && !isSameValue(current[name], null);
    return isLogin || signIn || !canReplace(name, current[name], earlier[name]);
  });
  return pickInput({ ...earlier, ...Object.fromEntries(kept.map((name) => [name, current[name] ?? null])) });
};
