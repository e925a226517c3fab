import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, expect, test, vi } from 'vitest';
import { listIssues, readFields } from '../../../infra/own-fields/declarations.ts';
import type { FieldDeclarations } from '../../../infra/own-fields/rules.ts';
import { countDerivedKeys, listSearchFields, MAX_DERIVED_KEYS } from '../../../lib/users/derived-keys.ts';
import { countRuns } from '../../setup/seed.ts';
import { supportTable } from '../../setup/support-table.ts';
import { deploy } from './fields/deploy.ts';

afterEach(() => vi.restoreAllMocks());

const nameAll = (fields: FieldDeclarations) => Object.entries(fields).map(([name, field]) => ({ ...field, name }));

const countAll = (fields: FieldDeclarations): number =>
  countDerivedKeys(nameAll(fields)).reduce((sum, { count }) => sum + count, 0);

const listTexts = (fields: object): number[] => listSearchFields(nameAll(readFields(fields))).map(({ texts }) => texts);

const text = { type: 'string', search: true } as const;

test.each<[what: string, fields: object, texts: number[]]>([
  ['20 texts, if nothing else needs the room', { motto: text }, [20]],
  ['the rest of the room, while ten items stay free', { motto: text, tags: { ...tags(12) } }, [13]],
  ['equal shares', { motto: text, city: text, phone: text, company: text }, [5, 5, 5, 5]],
  ['what values need, and the rest for others', { motto: text, code: { ...text, maxLength: 3 } }, [16, 4]],
  ['what the values of an enum need', { motto: text, plan: { ...text, enum: ['free', 'pro plus'] } }, [18, 2]],
  [
    'as many as maxWords says, beside 20 shared ones',
    { motto: text, notes: { ...text, search: { maxWords: 5 } } },
    [20, 5],
  ],
  [
    'no more than values need, whatever maxWords says',
    { code: { ...text, maxLength: 2, search: { maxWords: 5 } } },
    [2],
  ],
  ['what all items of a list need', { codes: { ...text, list: true, maxLength: 2, maxItems: 3 } }, [6]],
])('search fields get %s', (_, fields, texts) => {
  expect(listTexts(fields)).toEqual(texts);
});

function tags(maxItems: number) {
  return { type: 'string', list: true, maxItems, filter: true } as const;
}

const listWords = (from: number, to: number, ending: string): string =>
  Array.from({ length: to - from }, (_, at) => String.fromCharCode(97 + from + at).repeat(2) + ending).join(' ');

/** Needs the most derived items. Users with different endings have no derived item in common. */
const createLargest = (ending: 'x' | 'y') => ({
  name: listWords(0, 10, ending),
  email: `${ending}@${ending}.example.org`,
  status: ending === 'x' ? 'active' : 'suspended',
  plan: ending === 'x' ? 'free' : 'pro',
  phone: listWords(10, 17, ending),
  birthday: ending === 'x' ? '1815-12-10' : '1906-12-09',
  externalId: ending,
  tags: Array.from({ length: 10 }, (_, at) => `tag ${ending}${at}`),
  company: listWords(14, 26, ending),
});

const listLabels = (ending: 'x' | 'y') => Array.from({ length: 10 }, (_, at) => `label ${ending}${at}`);

test.each([
  ['an ordinary table, beside room for ten more', 39, supportTable, (ending: 'x' | 'y') => createLargest(ending)],
  [
    'a full table',
    49,
    {
      ...supportTable,
      phone: { ...supportTable.phone, search: { maxWords: 4 } },
      company: { ...supportTable.company, search: { maxWords: 5 } },
      labels: tags(10),
    },
    (ending: 'x' | 'y') => ({ ...createLargest(ending), labels: listLabels(ending) }),
  ],
])('the largest user of %s is created, wholly replaced, and found', async (_, count, fields, create) => {
  expect(listIssues(fields)).toEqual([]);
  expect(countAll(readFields(fields))).toBe(count);
  const service = await deploy(fields);
  await service.clearTable();
  const [first, second] = [create('x'), create('y')];
  const id = await service.add(first);
  const readKeys = async () => Array.from(Object((await service.readItem(id))?.derived));
  const before = await readKeys();
  expect(before).toHaveLength(count);
  expect(await service.replace(id, second)).toMatchObject({ status: 200 });
  const after = await readKeys();
  expect(after).toHaveLength(count);
  expect(new Set([...before, ...after]).size).toBe(2 * count);
  const found = [
    ...second.name.split(' '),
    ...second.phone.split(' ').slice(0, 4),
    ...second.company.split(' ').slice(0, 5),
    ...[second.email, '@y.example.org'],
  ].map((q) => ({ q }));
  const listed = [
    ...second.tags.map((tags) => ({ tags })),
    ...[{ company: second.company }, { status: 'suspended' }, { plan: 'pro' }, { externalId: 'y' }],
    ...[{ sort: 'name' }, { sort: 'plan' }, { sort: 'birthday' }],
  ];
  for (const query of [...found, ...listed])
    expect({ query, ids: await service.find(query) }).toEqual({ query, ids: [id] });
  for (const q of [...first.name.split(' '), first.email]) expect(await service.find({ q })).toEqual([]);
  expect((await service.checkTable()).found).toEqual({});
});

const WORDS = [
  'ä',
  'b',
  'cc',
  'dä',
  "O'Brien",
  "a'b'cc",
  '李明',
  '김',
  '+491701234567',
  '00491701234567',
  '⒑',
  'ﷺ',
  'e@f',
];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 24 }).map((all) => all.join(' '));
const value = fc.oneof(words, fc.string({ unit: 'grapheme' }));
const share = fc.option(fc.oneof(fc.boolean(), fc.record({ maxWords: fc.integer({ min: 1, max: 20 }) })), {
  nil: false,
});
const declaration = fc.oneof(
  fc.record({
    type: fc.constant('string'),
    search: share,
    sort: fc.boolean(),
    ...{ unique: fc.constantFrom(true, false, 'exact'), maxLength: fc.integer({ min: 1, max: 256 }) },
  }),
  fc.record({
    type: fc.constant('string'),
    search: share,
    filter: fc.boolean(),
    sort: fc.boolean(),
    maxLength: fc.integer({ min: 1, max: 64 }),
  }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.uniqueArray(fc.constantFrom(...WORDS), { minLength: 1 }),
    search: share,
    filter: fc.boolean(),
  }),
  fc.record({
    ...{ type: fc.constant('string'), list: fc.constant(true), search: share, filter: fc.boolean() },
    ...{ maxItems: fc.integer({ min: 1, max: 20 }), maxLength: fc.integer({ min: 1, max: 20 }) },
  }),
  fc.record({ type: fc.constantFrom('integer', 'date', 'boolean'), filter: fc.boolean() }),
);
const declarations = fc
  .array(declaration, { maxLength: 12 })
  .map((list) => Object.fromEntries(list.map((each, at) => [`field${at}`, each])))
  .filter((fields) => listIssues(fields).length === 0);

test('no user has more derived items than its declarations count, whatever values an earlier release stored', async () => {
  const sizes: number[] = [];
  const user = fc.record({
    name: value,
    values: fc.array(fc.oneof(value, fc.array(value), fc.integer()), { minLength: 12, maxLength: 12 }),
  });
  const check = async (fields: FieldDeclarations, users: { name: string; values: unknown[] }[]) => {
    const counted = countAll(fields);
    expect(counted).toBeLessThanOrEqual(MAX_DERIVED_KEYS);
    vi.resetModules();
    const { environment } = await import('../../../lib/environment.ts');
    environment.readOwnFields = () => fields;
    const { deriveItems } = await import('../../../lib/users/derived.ts');
    const { resolveFields } = await import('../../../lib/users/fields/values.ts');
    for (const { name, values } of users) {
      const stored = resolveFields(Object.fromEntries(values.map((each, at) => [`field${at}`, each])));
      const items = deriveItems({ id: uuidv7(), name, email: 'zz@example.org', ...stored });
      expect(items.length).toBeLessThanOrEqual(counted);
      sizes.push(items.length / counted);
    }
  };
  const property = fc.asyncProperty(declarations, fc.array(user, { minLength: 5, maxLength: 5 }), (fields, users) =>
    check(readFields(fields), users),
  );
  await fc.assert(property, { numRuns: countRuns(300) });
  expect(Math.max(...sizes)).toBeGreaterThan(0.8);
});
