import { countFilterEntries } from '../../lib/features/filters/keys.ts';
import { MAX_FIELD_WORDS } from '../../lib/features/search/text.ts';
import {
  countDerivedKeys,
  FREE_KEYS,
  findRoom,
  listSearchFields,
  MAX_DERIVED_KEYS,
} from '../../lib/users/derived-keys.ts';
import type { OwnField } from '../../lib/users/fields/declaration.ts';

/**
 * A user has a derived item per unique value, search text, filter value and sort value. One transaction writes them
 * all. The message names the smallest change that fits.
 */
export function findRoomIssue(fields: readonly OwnField[]): string | undefined {
  if (fits(fields)) return undefined;
  const listed = countDerivedKeys(fields).map(({ count, source }) => `${count} for ${source}`);
  const room = findRoom(fields);
  const reason =
    room < MAX_DERIVED_KEYS
      ? ` Fields with search true share at most ${MAX_FIELD_WORDS} items, and leave ${FREE_KEYS} of ${MAX_DERIVED_KEYS} free.`
      : '';
  return `A user can have ${countKeys(fields)} derived items, but ${room} fit: ${listed.join(', ')}.${reason} The smallest change that fits: ${findChanges(fields).join(', ')}.`;
}

const countKeys = (fields: readonly OwnField[]): number =>
  countDerivedKeys(fields).reduce((sum, { count }) => sum + count, 0);

const fits = (fields: readonly OwnField[]): boolean => countKeys(fields) <= findRoom(fields);

/** `left`: derived items after the change, 0 if it removes an option. */
type Change = { name: string; members: Partial<OwnField>; text: string; left: number };

/** Lowers one limit if that suffices. Otherwise lowers the largest limits, and removes options if that is not enough. */
function findChanges(fields: readonly OwnField[]): string[] {
  const single = findLeast(listChanges(fields).filter((change) => change.left > 0 && fits(apply(fields, change))));
  if (single) return [single.text];
  const texts = new Map<string, string>();
  let changed = fields;
  while (!fits(changed)) {
    const change = findLeast(listChanges(changed));
    if (!change) break;
    changed = apply(changed, change);
    texts.set(`${change.name} ${Object.keys(change.members)}`, change.text);
  }
  return [...texts.values()];
}

const findLeast = (changes: Change[]): Change | undefined => changes.toSorted((one, other) => other.left - one.left)[0];

const apply = (fields: readonly OwnField[], { name, members }: Change): OwnField[] =>
  fields.map((field) => (field.name === name ? { ...field, ...members } : field));

const listChanges = (fields: readonly OwnField[]): Change[] => [
  ...fields.flatMap(listItemCuts),
  ...listSearchFields(fields).flatMap(({ name, texts }) => {
    const isShared = fields.some((field) => field.name === name && field.search === true);
    return count(1, isShared ? texts : texts - 1).map(
      (maxWords): Change => ({
        ...{ name, members: { search: { maxWords } }, left: maxWords },
        text: `set search.maxWords of ${name} to ${maxWords}`,
      }),
    );
  }),
  ...(['sort', 'filter', 'search', 'unique'] as const).flatMap((member) =>
    fields
      .filter((field) => field[member] && !field.subject)
      .map(
        ({ name }): Change => ({ name, members: { [member]: false }, text: `remove ${member} of ${name}`, left: 0 }),
      ),
  ),
];

function listItemCuts(field: OwnField): Change[] {
  const { name, type, filter, subject, list, default: fallback, example } = field;
  const isMembership = type === 'membership';
  if (!list || !(filter || subject || isMembership)) return [];
  const minimum = Math.max(1, ...[fallback, example].map((value) => (Array.isArray(value) ? value.length : 1)));
  return count(minimum, Math.min(countFilterEntries(field) - 1, MAX_DERIVED_KEYS)).map((maxItems) => ({
    ...{ name, members: { maxItems }, left: maxItems },
    text: isMembership ? `set maxGroups to ${maxItems}` : `set maxItems of ${name} to ${maxItems}`,
  }));
}

const count = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
