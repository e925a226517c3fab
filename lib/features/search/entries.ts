import type { Key } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import { listSearchFields } from '../../users/derived-keys.ts';
import { formatEntryKey, truncate } from '../../users/entry-keys.ts';
import { type OwnValues, ownFields } from '../../users/fields/values.ts';
import type { Derivable, DerivedItem } from '../../users/user.ts';
import {
  findMinLength,
  isLongEnough,
  listAddressTexts,
  listGivenNameTexts,
  listStoredTexts,
  MAX_NAME_TEXTS,
} from './text.ts';

export const searchPartition = (prefix: string): string => `SEARCH#${prefix}`;

export const isSearchKey = ({ pk }: Key): boolean => pk.startsWith('SEARCH#');

export const searchFields = listSearchFields(ownFields);

type Searchable = Pick<Derivable, 'name' | 'email' | 'fields'>;

/** `indexed`: normalized texts that find a user. `short`: words that only filter. */
export type Texts = { indexed: string[]; short: string[] };

/** Lists the texts of name, address and fields. Each has a maximum: words come first, and further texts are dropped. */
export function listTexts({ fields, ...user }: Searchable): Texts {
  const { indexed, short } = listNameAndAddressTexts(user);
  const ofFields = searchFields.map(({ name, texts }) => listFieldTexts(listStrings(fields, name), texts));
  return {
    indexed: [...indexed, ...ofFields.flatMap((texts) => texts.indexed)],
    short: [...short, ...ofFields.flatMap((texts) => texts.short)],
  };
}

export function listNameAndAddressTexts({ name, email }: Pick<Searchable, 'name' | 'email'>): Texts {
  const ofName = listStoredTexts(name, MAX_NAME_TEXTS);
  const [address, domain] = listAddressTexts(email);
  const indexed = [
    ...[...ofName.words, ...listGivenNameTexts(name, MAX_NAME_TEXTS), ...ofName.others].slice(0, MAX_NAME_TEXTS),
    ...(environment.searchesDomains ? [address, domain] : [address]),
  ];
  return { indexed, short: ofName.short };
}

function listFieldTexts(values: string[], maxTexts: number): Texts {
  const texts = values.map((value) => listStoredTexts(value, maxTexts));
  const indexed = [...texts.flatMap(({ words }) => words), ...texts.flatMap(({ others }) => others)];
  return { indexed: indexed.slice(0, maxTexts), short: texts.flatMap(({ short }) => short) };
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
    if (shared >= [...truncate(text)].length) return [];
    const length = Math.min(Math.max(shared + 1, findMinLength(text)), findMaxLength(text));
    return [{ prefix: characters.slice(0, length).join(''), text: truncate(text) }];
  });
}

function countSharedStart(one: string[], other: string[]): number {
  const differing = one.findIndex((character, at) => character !== other[at]);
  return differing < 0 ? one.length : differing;
}

export const listSearchEntries = (user: Derivable): DerivedItem[] =>
  listIndexedTexts(user).map(({ prefix, text }) => ({
    key: { pk: searchPartition(prefix), sk: formatEntryKey(text, user.id) },
  }));
