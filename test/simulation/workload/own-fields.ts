import type { FieldDeclaration } from '../../../lib/users/fields/declaration.ts';
import type { Random } from '../random.ts';

/** Both releases of the service may serve requests at once, as during a deploy. They differ in the own fields that they declare. */
export type Release = 'current' | 'previous';

/**
 * For the previous release the unique fields of the current one are not, and none of them is searched, filtered or sorted; one does
 * not exist yet, and another, which is unique, searched and sorted, is no longer declared by the current one. The filter `plan` has
 * another default.
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

/** What the current release shows of a field that no client writes. */
export const DEFAULTS = { plan: 'free' };

export type OwnValues = { nickname?: string; badge?: number; motto?: string; hobby?: string };

/** Null clears a field. */
export type OwnChanges = { [Name in keyof OwnValues]: OwnValues[Name] | null };

export type UniqueField = 'nickname' | 'badge';

/** The values that a release shows. */
export const showOwnValues = (values: object, release: Release): object =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in DECLARATIONS[release]));

/** Each nickname has two spellings; one of them is a number, as badges are. */
const NICKNAMES = [
  ['Ace', 'ACE'],
  ['Zo\u00eb', 'ZOE\u0308'],
  ['7', '7'],
] as const;
const BADGES = [7, 8, 9];

/** Some begin as a name or an address does. */
export const MOTTOS = ['Ad astra', 'Édith', 'Le bonheur', 'carpe-diem', 'bea'];
const HOBBIES = ['chess', 'bowls', 'Go', 'GO', 'judo', 'darts'];

/** The fewer values there are, the more users want the same. */
export const chooseNickname = (random: Random, values: number) =>
  random.pick(NICKNAMES.slice(0, values))[random.chance(0.3) ? 1 : 0];
export const chooseBadge = (random: Random, values: number) => random.pick(BADGES.slice(0, values));

/** Each field has a value with the probability `rate`, of which `clears` are cleared. */
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
