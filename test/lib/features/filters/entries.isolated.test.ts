import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import {
  filterFields,
  findSortText,
  listDescriptions,
  listFilterTexts,
  listListEntries,
  sortNames,
} from '../../../../lib/features/filters/entries.ts';
import { deriveItems, formatDerivedKey, parseDerivedKey } from '../../../../lib/users/derived.ts';
import { ownFields, resolveFields } from '../../../../lib/users/fields/values.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/list-own-fields.json';
});

const newUser = (fields: object) => ({
  ...{ id: uuidv7(), name: 'Zoë King', email: 'zoe@example.org' },
  ...resolveFields(fields),
});

const listKeys = (fields: object) => {
  const user = newUser(fields);
  return listListEntries(user).map(({ key: { pk, sk } }) => `${pk} ${sk.replace(user.id, 'ID')}`);
};

describe('the list entries of a user', () => {
  test('contain one entry per filter value, list item and sort name', () => {
    expect(
      listKeys({ plan: 'pro', tags: ['Blue', 'blue', 'Blue'], seats: 5, active: true, hired: '2026-01-31' }),
    ).toEqual([
      'LIST#plan=pro ID',
      'LIST#tags=Blue ID',
      'LIST#tags=blue ID',
      'LIST#seats=5 ID',
      'LIST#active=true ID',
      'LIST#hired=2026-01-31 ID',
      'LIST#name 1zoe king\tID',
      'LIST#seats 1c014\tID',
      'LIST#hired 12026-01-31\tID',
    ]);
  });

  test('use the values that readers see: the default, and none if the stored value has another type', () => {
    expect(listKeys({ seats: 'five', tags: 'blue' })).toEqual([
      'LIST#plan=free ID',
      'LIST#name 1zoe king\tID',
      'LIST#seats 2\tID',
      'LIST#hired 2\tID',
    ]);
  });

  test('are limited to the declared length of a list, although an earlier write stored more', () => {
    const tags = Array.from({ length: 9 }, (_, at) => `tag${at}`);
    expect(listKeys({ tags }).filter((key) => key.startsWith('LIST#tags='))).toHaveLength(3);
  });

  test('are distinct and recorded without the id', () => {
    const user = newUser({ plan: 'pro', tags: ['a', 'b'], seats: -1 });
    const keys = deriveItems(user).map(({ key }) => key);
    const recorded = keys.map((key) => formatDerivedKey(key, user.id));
    expect(new Set(recorded).size).toBe(recorded.length);
    expect(recorded.join()).not.toContain(user.id);
    expect(recorded.map((text) => parseDerivedKey(text, user.id))).toEqual(keys);
  });
});

test('texts to compare equal those in the keys', () => {
  const user = newUser({ tags: ['b', 'a'], seats: 5 });
  const [plan, tags] = filterFields;
  if (!plan || !tags) throw new Error('Not declared');
  expect([listFilterTexts(user, plan), listFilterTexts(user, tags)]).toEqual([['free'], ['b', 'a']]);
  expect(sortNames.map((name) => findSortText(user, name))).toEqual(['1zoe king', '1c014', '2']);
});

test('the description of a list changes with everything that decides its entries', () => {
  expect(listDescriptions).toEqual({
    'plan=': 'string, default "free"',
    'tags=': 'up to 3 of string',
    'seats=': 'integer',
    'active=': 'boolean',
    'hired=': 'date',
    name: 'string, text version 2',
    seats: 'integer',
    hired: 'date',
  });
  expect(ownFields.length).toBeGreaterThan(filterFields.length);
});
