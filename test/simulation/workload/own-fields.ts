import type { FieldDeclaration } from '../../../lib/users/fields/declaration.ts';
import type { Random } from '../random.ts';

/** Releases that serve requests in parallel during a deploy, with different own fields. */
export type Release = 'current' | 'previous';

/**
 * Own fields by release. The previous release declares nickname and motto without `unique`, `search`, `filter` and `sort`, and lacks
 * badge. The previous release also has a unique, searched and sorted field hobby, which the current release has removed. The filter
 * `plan` has different defaults.
 */
export const DECLARATIONS: Record<Release, Record<string, FieldDeclaration>> = {
  current: {
    nickname: { type: 'string', unique: true, sort: true },
    badge: { type: 'integer', unique: true, sort: true },
    motto: { type: 'string', maxLength: 20, search: true, filter: true },
    plan: { type: 'string', maxLength: 20, filter: true, default: 'free' },
  },
  previous: {
    nickname: { type: 'string' },
    motto: { type: 'string' },
    hobby: { type: 'string', unique: true, search: true, sort: true },
    plan: { type: 'string', maxLength: 20, filter: true, default: 'pro' },
  },
};

/** The default of a field that no client writes. The current release returns it for every user. */
export const DEFAULTS = { plan: 'free' };

export type OwnValues = { nickname?: string; badge?: number; motto?: string; hobby?: string };

/** Null clears a field. */
export type OwnChanges = { [Name in keyof OwnValues]: OwnValues[Name] | null };

export type UniqueField = 'nickname' | 'badge';

/** Returns the values of the fields that a release declares, because a release shows no others. */
export const showOwnValues = (values: object, release: Release): object =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in DECLARATIONS[release]));

/**
 * Two spellings of each nickname, which count as the same value. One is a number, like badges, to test that fields have separate claims.
 */
const NICKNAMES = [
  ['Ace', 'ACE'],
  ['Zo\u00eb', 'ZOE\u0308'],
  ['7', '7'],
] as const;
const BADGES = [7, 8, 9];

/** Some mottos begin like a name or an address, so that one search finds both. */
export const MOTTOS = ['Ad astra', 'Édith', 'Le bonheur', 'carpe-diem', 'bea'];
const HOBBIES = ['chess', 'bowls', 'Go', 'GO', 'judo', 'darts'];

/** Chooses a nickname from the first `values` ones. Fewer values cause more conflicts. */
export const chooseNickname = (random: Random, values: number) =>
  random.pick(NICKNAMES.slice(0, values))[random.chance(0.3) ? 1 : 0];
export const chooseBadge = (random: Random, values: number) => random.pick(BADGES.slice(0, values));

/** Chooses changes of own fields. Each field is in the changes with the probability `rate`, and then null with the probability `clears`. */
export function chooseOwnChanges(
  random: Random,
  release: Release,
  { rate, values, clears = 0 }: { rate: number; values: number; clears?: number },
): OwnChanges {
  const choose = <Value>(value: Value) => (random.chance(clears) ? null : value);
  const changes: OwnChanges = {
    ...(random.chance(rate) ? { nickname: choose(chooseNickname(random, values)) } : {}),
    ...(random.chance(rate) ? { badge: choose(chooseBadge(random, values)) } : {}),
    ...(random.chance(rate) ? { motto: choose(random.pick(MOTTOS)) } : {}),
    ...(random.chance(rate) ? { hobby: choose(random.pick(HOBBIES)) } : {}),
  };
  return showOwnValues(changes, release);
}
