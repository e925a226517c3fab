import type { Key } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import { type OwnValues, searchFields } from '../../users/fields/values.ts';
import type { Derivable, DerivedItem } from '../../users/user.ts';
import {
  findMinLength,
  isLongEnough,
  listAddressTexts,
  listGivenNameTexts,
  listStoredTexts,
  MAX_FIELD_TEXTS,
  MAX_NAME_TEXTS,
  MAX_TEXTS,
} from './text.ts';

/**
 * Characters of a text in a sort key, which may have 1024 bytes. Longer texts are compared in full after reading the
 * user.
 */
const MAX_TEXT_LENGTH = 64;

/** Separates text and id. Sorts before every character of a name: "Ada" comes before "Ada King". */
const ID_SEPARATOR = '\t';

export const searchSortKey = (text: string, userId: string): string => `${text}${ID_SEPARATOR}${userId}`;

export const searchPartition = (prefix: string): string => `SEARCH#${prefix}`;

export const searchKey = (prefix: string, text: string, userId: string): Key => ({
  pk: searchPartition(prefix),
  sk: searchSortKey(text, userId),
});

export const isSearchKey = ({ pk }: Key): boolean => pk.startsWith('SEARCH#');

export function parseSearchKey(sk: string): { text: string; id: string } {
  const [text = '', id = ''] = sk.split(ID_SEPARATOR);
  return { text, id };
}

export const truncate = (text: string): string => [...text].slice(0, MAX_TEXT_LENGTH).join('');

type Searchable = Pick<Derivable, 'name' | 'email' | 'fields'>;

/** `indexed`: normalized texts that find a user. `short`: words that only filter. */
export type Texts = { indexed: string[]; short: string[] };

/** Lists the texts of name, address and fields. Each has a maximum: words come first, and further texts are dropped. */
export function listTexts({ name, email, fields }: Searchable): Texts {
  const ofName = listStoredTexts(name, MAX_NAME_TEXTS);
  const [address, domain] = listAddressTexts(email);
  const values = searchFields.flatMap((field) => listStrings(fields, field.name));
  const ofFields = values.map((value) => listStoredTexts(value, MAX_FIELD_TEXTS));
  const indexed = [
    ...[...ofName.words, ...listGivenNameTexts(name, MAX_NAME_TEXTS), ...ofName.others].slice(0, MAX_NAME_TEXTS),
    ...(environment.searchesDomains ? [address, domain] : [address]),
    ...[...ofFields.flatMap(({ words }) => words), ...ofFields.flatMap(({ others }) => others)].slice(
      0,
      MAX_FIELD_TEXTS,
    ),
  ];
  return {
    indexed: indexed.slice(0, MAX_TEXTS),
    short: [...ofName.short, ...ofFields.flatMap(({ short }) => short)],
  };
}

/** Skips stored values of other types, which may predate the declaration. */
const listStrings = (fields: OwnValues | undefined, name: string): string[] =>
  [fields?.[name]].flat().filter((item) => typeof item === 'string');

const findMaxLength = (text: string): number => findMinLength(text) + sizes.searchPrefixes - 1;

export type Range = { prefix: string; start: string };

/** Matches the prefix of a domain's text. Only domains begin with `@`, and each user has one. */
const DOMAIN = /^@./su;

export function listRanges(normalized: string): Range[] {
  const start = truncate(normalized);
  const [domainPrefix] = DOMAIN.exec(normalized) ?? [];
  if (domainPrefix) return [{ prefix: domainPrefix, start }];
  const characters = [...normalized].slice(0, findMaxLength(normalized));
  const prefixes = characters.map((_, at) => characters.slice(0, at + 1).join(''));
  return prefixes.slice(findMinLength(normalized) - 1).map((prefix) => ({ prefix, start }));
}

type IndexedText = { prefix: string; text: string };

/**
 * Stores each text under the shortest prefix that no earlier text has. A search reads only the partitions of its text's
 * prefixes, so it finds a user once, by the first matching text.
 */
export function listIndexedTexts(user: Searchable): IndexedText[] {
  const texts = listTexts(user)
    .indexed.filter(isLongEnough)
    .map((text) => ({ text, characters: [...text] }));
  return texts.flatMap(({ text, characters }, at) => {
    const shared = Math.max(
      0,
      ...texts.slice(0, at).map((earlier) => countSharedStart(characters, earlier.characters)),
    );
    // Skip a text if every search for it also matches an earlier text.
    if (shared >= Math.min(characters.length, MAX_TEXT_LENGTH)) return [];
    const length = Math.min(Math.max(shared + 1, findMinLength(text)), findMaxLength(text));
    return [{ prefix: characters.slice(0, length).join(''), text: truncate(text) }];
  });
}

function countSharedStart(one: string[], other: string[]): number {
  const differing = one.findIndex((character, at) => character !== other[at]);
  return differing < 0 ? one.length : differing;
}

export const listSearchEntries = (user: Derivable): DerivedItem[] =>
  listIndexedTexts(user).map(({ prefix, text }) => ({ key: searchKey(prefix, text, user.id) }));
