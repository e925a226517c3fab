import type { FieldDeclaration } from '../../../lib/users/fields/declaration.ts';
import type { Random } from '../random.ts';
import { MEMBERSHIPS } from './memberships.ts';

/** Releases of the service. Two serve requests during a deploy. */
export type Release = 'current' | 'previous' | 'reordered';

const CURRENT: Record<string, FieldDeclaration> = {
  nickname: { type: 'string', unique: true, sort: true },
  badge: { type: 'integer', unique: true, sort: true },
  motto: { type: 'string', maxLength: 20, search: true, filter: true },
  plan: { type: 'string', maxLength: 20, filter: true, default: 'free' },
  groups: MEMBERSHIPS,
};

/**
 * The previous release has fewer options, another default of `plan`, and hobby instead of badge. The reordered release
 * differs only in the order of the fields.
 */
export const DECLARATIONS: Record<Release, Record<string, FieldDeclaration>> = {
  current: CURRENT,
  reordered: Object.fromEntries(Object.entries(CURRENT).reverse()),
  previous: {
    nickname: { type: 'string' },
    motto: { type: 'string' },
    hobby: { type: 'string', unique: true, search: true, sort: true },
    plan: { type: 'string', maxLength: 20, filter: true, default: 'pro' },
    groups: MEMBERSHIPS,
  },
};

/** Default of a field that no client writes. */
export const DEFAULTS = { plan: 'free' };

/** `groups`: as `formatMemberships` formats them. */
export type OwnValues = { nickname?: string; badge?: number; motto?: string; hobby?: string; groups?: string };

/** Null clears a field. */
export type OwnChanges = { [Name in keyof OwnValues]: OwnValues[Name] | null };

export type UniqueField = 'nickname' | 'badge';

export const SORT_NAMES = ['name', 'nickname', 'badge'] as const;
export type SortName = (typeof SORT_NAMES)[number];

/** A release shows only the fields that it declares. */
export const showOwnValues = (values: object, release: Release): object =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in DECLARATIONS[release]));

/** Nicknames, each with two spellings. One is a number, like badges: claims of fields are separate. */
const NICKNAMES = [
  ['Ace', 'ACE'],
  ['Zo\u00eb', 'ZOE\u0308'],
  ['7', '7'],
] as const;
const BADGES = [7, 8, 9];

/** Mottos. Some begin like names and addresses, so that a search finds both. */
export const MOTTOS = ['Ad astra', 'Édith', 'Le bonheur', 'carpe-diem', 'bea'];
const HOBBIES = ['chess', 'bowls', 'Go', 'GO', 'judo', 'darts'];

/** Picks from the first `values` nicknames. Fewer cause more conflicts. */
export const chooseNickname = (random: Random, values: number) =>
  random.pick(NICKNAMES.slice(0, values))[random.chance(0.3) ? 1 : 0];
export const chooseBadge = (random: Random, values: number) => random.pick(BADGES.slice(0, values));

/** `rate`: probability of each field. `clears`: probability of null. */
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
