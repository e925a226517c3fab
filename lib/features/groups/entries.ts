import { formatKey, type Key } from '../../dynamodb/keys.ts';
import { formatEntryKey, truncate } from '../../users/entry-keys.ts';
import type { Texts } from '../search/entries.ts';
import { listStoredTexts, MAX_NAME_TEXTS } from '../search/text.ts';
import type { Group } from './group.ts';
import { externalIdKey, GROUP_SEARCH, GROUPS } from './keys.ts';

/** Lists the texts by which a search finds the group, with the same rules as for names of users. */
export function listGroupTexts({ name }: Pick<Group, 'name'>): Texts {
  const { words, others, short } = listStoredTexts(name, MAX_NAME_TEXTS);
  return { indexed: [...words, ...others].slice(0, MAX_NAME_TEXTS), short };
}

/** Lists the items that are written with the group: the claim of its external id, and its entries in lists. */
export function listDerivedKeys(group: Pick<Group, 'id' | 'name' | 'externalId'>): Key[] {
  const texts = new Set(listGroupTexts(group).indexed.map((text) => truncate(text)));
  return [
    ...(group.externalId === null ? [] : [externalIdKey(group.externalId)]),
    { pk: GROUPS, sk: group.id },
    ...[...texts].map((text) => ({ pk: GROUP_SEARCH, sk: formatEntryKey(text, group.id) })),
  ];
}

export function compareKeys(before: readonly Key[], after: readonly Key[]): { added: Key[]; removed: Key[] } {
  const [old, next] = [before, after].map((keys) => new Set(keys.map(formatKey)));
  return {
    added: after.filter((key) => !old?.has(formatKey(key))),
    removed: before.filter((key) => !next?.has(formatKey(key))),
  };
}
