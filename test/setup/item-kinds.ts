export type ItemKind = {
  /** Name in lib/dynamodb/README.md. */
  item: string;
  /** Matches `<pk> <sk>`. */
  key: RegExp;
  /** 'deletes': the user's deletion or a later `on-change` deletes the item. */
  deletion: 'deletes' | 'keeps';
  /** 'ignores' only if the item has no personal data. */
  erasure: 'deletes' | 'empties' | 'ignores';
};

/**
 * The kinds of items in the table. Handlers' tests fail if a function writes another kind. test/lib/features/erasure
 * checks `deletion` and `erasure`.
 */
export const itemKinds: readonly ItemKind[] = [
  { item: 'user', key: /^USER#[^#]+ USER$/, deletion: 'deletes', erasure: 'deletes' },
  { item: 'post', key: /^USER#[^#]+ POST#/, deletion: 'deletes', erasure: 'deletes' },
  { item: 'user deletion', key: /^USER#[^#]+ DELETED(#\d+)?$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'post deletion', key: /^USER#[^#]+ DELETED#POST#/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'email claim', key: /^EMAIL#.+ EMAIL$/s, deletion: 'deletes', erasure: 'deletes' },
  { item: 'claim of a unique field', key: /^UNIQUE#.+ UNIQUE$/s, deletion: 'deletes', erasure: 'deletes' },
  { item: 'idempotency record', key: /^REQUEST#\S+ REQUEST$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'purge', key: /^USER#[^#]+ PURGE$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'return of posts', key: /^USER#[^#]+ RETURN$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'erasure', key: /^ERASURES (PENDING#)?[\w-]+$/, deletion: 'keeps', erasure: 'ignores' },
  // An erasure deletes the former records of the person, which hold hashes.
  { item: 'former record', key: /^FORMER#\S+ [0-9a-f-]{36}$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'change of a user', key: /^CHANGES#[^#]+#USER#\S+ \d/, deletion: 'keeps', erasure: 'empties' },
  { item: 'change of a post', key: /^CHANGES#[^#]+#POSTS#\S+ \d/, deletion: 'keeps', erasure: 'empties' },
  { item: 'order of all changes', key: /^CHANGES#[^#]+#ALL \d+$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'epoch', key: /^CHANGES \S+$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'head of the log', key: /^CHANGES#[^#]+ HEAD$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'stream slots', key: /^STREAMS#\d+ /, deletion: 'keeps', erasure: 'ignores' },
  { item: 'page block', key: /^PAGES#\d+ (?!CHECKPOINT$)/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'checkpoint', key: /^PAGES#2 CHECKPOINT$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'tombstone, return', key: /^PAGES#ADJUSTMENTS \d+#/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'search entry', key: /^SEARCH#/, deletion: 'deletes', erasure: 'deletes' },
  { item: 'list entry', key: /^LIST#(?!group=)/, deletion: 'deletes', erasure: 'deletes' },
  { item: 'membership entry', key: /^LIST#group=/, deletion: 'deletes', erasure: 'deletes' },
  // An erasure ignores the person's item, which keeps a hash of the subject for 24 hours.
  { item: 'person', key: /^PERSON#\S+ PERSON$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'issuer of subjects', key: /^SUBJECTS ISSUER$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'group', key: /^GROUP#[^#]+ GROUP$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'writes of a group', key: /^GROUP#[^#]+ WRITES$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'claim of a group', key: /^GROUPID#.+ GROUPID$/s, deletion: 'keeps', erasure: 'ignores' },
  { item: 'entry of a group', key: /^(GROUPS [0-9a-f-]{36}$|GROUPSEARCH )/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'deleted groups', key: /^GROUPDELETIONS GROUPDELETIONS$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'heartbeat', key: /^HEARTBEAT HEARTBEAT$/, deletion: 'keeps', erasure: 'ignores' },
  { item: 'backfill', key: /^FIELDS BACKFILL$/, deletion: 'keeps', erasure: 'ignores' },
];

/** Throws unless exactly one kind matches the key. */
export function findItemKind({ pk, sk }: Record<string, unknown>): ItemKind {
  const [kind, ...others] = itemKinds.filter(({ key }) => key.test(`${pk} ${sk}`));
  if (!kind || others.length > 0)
    throw new Error(
      `${others.length > 0 ? 'Several kinds' : 'No kind'} of item in test/setup/item-kinds.ts for ${pk} ${sk}: say what deletion and erasure of a user do with it`,
    );
  return kind;
}
