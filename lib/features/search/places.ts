import { sizes } from '../../sizes.ts';
import type { User } from '../../users/schema.ts';
import { type OwnValues, searchFields } from '../own-fields/declared.ts';
import { findMinLength, isLongEnough, listWords, normalizeText } from './text.ts';

/** All search fields of a user together are found by their first words: each entry is as large as the user. */
export const MAX_FIELD_WORDS = 50;

/** The characters of a text in its key; the rest of a longer text is compared after it was read. A sort key has at most 1024 bytes. */
const MAX_KEY_LENGTH = 64;

/** The part of a normalized text that keys hold. */
export const truncate = (text: string): string => [...text].slice(0, MAX_KEY_LENGTH).join('');

/** What a user is found by. */
export type Searchable = Pick<User, 'name' | 'email' | 'fields'>;

/** An entry has a text, in the partition of one of its prefixes. */
export type Place = { prefix: string; text: string };

/** A user is found by the name from each of its words on, by the email address, and by search fields as by the name. */
export function listTexts({ name, email, fields }: Searchable): string[] {
  const words = listFieldTexts(fields).flatMap(listWords).filter(isLongEnough);
  const texts = [...listWords(name), normalizeText(email)].filter(isLongEnough);
  return [...texts, ...words.slice(0, MAX_FIELD_WORDS)];
}

const listFieldTexts = (fields: OwnValues | undefined): string[] =>
  searchFields.flatMap(({ name }) => listStrings(fields?.[name]));

/** What is stored may have another type than was declared since. */
const listStrings = (value: unknown): string[] => [value].flat().filter((item) => typeof item === 'string');

/** Returns the length of the longest beginning of a text that can be its prefix. */
const findMaxPrefix = (text: string): number => findMinLength(text) + sizes.searchPrefixes - 1;

/** The partitions in which a search for a normalized text finds entries. */
export function listPrefixes(normalized: string): string[] {
  const characters = [...normalized].slice(0, findMaxPrefix(normalized));
  return characters.map((_, at) => characters.slice(0, at + 1).join('')).slice(findMinLength(normalized) - 1);
}

/**
 * The texts of a user stand each in the partition of the shortest prefix that no earlier text has. So a search
 * finds one text of each user, the first that matches, because it reads no partition of the others.
 */
export function listPlaces(user: Searchable): Place[] {
  const texts = listTexts(user).map((text) => ({ text, characters: [...text] }));
  return texts.flatMap(({ text, characters }, at) => {
    const shared = Math.max(0, ...texts.slice(0, at).map((earlier) => countShared(characters, earlier.characters)));
    // A search that finds this text finds an earlier one.
    if (shared >= Math.min(characters.length, MAX_KEY_LENGTH)) return [];
    const length = Math.min(Math.max(shared + 1, findMinLength(text)), findMaxPrefix(text));
    return [{ prefix: characters.slice(0, length).join(''), text: truncate(text) }];
  });
}

/**
 * The places in which entries for values of some fields, by default of all, may stand under any declaration: which fields are
 * searched, and in which order, decides under which prefix.
 */
export function listPossiblePlaces({ fields = {} }: Searchable, names = Object.keys(fields)): Place[] {
  const texts = names.flatMap((name) => listStrings(fields[name]).flatMap(listWords)).filter(isLongEnough);
  return texts.flatMap((text) => listPrefixes(text).map((prefix) => ({ prefix, text: truncate(text) })));
}

/** Counts the characters that both begin with. */
function countShared(one: string[], other: string[]): number {
  const differing = one.findIndex((character, at) => character !== other[at]);
  return differing < 0 ? one.length : differing;
}
