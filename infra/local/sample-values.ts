import type { Faker } from '@faker-js/faker';
import fc from 'fast-check';
import { type FieldValue, MAX_LENGTH, type OwnField } from '../../lib/features/own-fields/declaration.ts';
import { ownFields } from '../../lib/features/own-fields/declared.ts';
import { findExample } from '../../lib/features/own-fields/example.ts';
import { valueSchema } from '../../lib/features/own-fields/value-schema.ts';

/** Believable texts by what the name of a field contains; the first that matches counts. Phones and URLs belong to nobody. */
const TEXTS: [RegExp, (faker: Faker) => string][] = [
  [/nick|login|handle|user_?name/i, (faker) => faker.internet.username()],
  [/phone|mobile|fax/i, (faker) => `+1${faker.number.int({ min: 201, max: 989 })}55501${faker.string.numeric(2)}`],
  [/city|town/i, (faker) => faker.location.city()],
  [/country/i, (faker) => faker.location.country()],
  [/zip|post(al)?_?code/i, (faker) => faker.location.zipCode()],
  [/street|address/i, (faker) => faker.location.streetAddress()],
  [/time_?zone/i, (faker) => faker.location.timeZone()],
  [/lang|locale/i, (faker) => faker.helpers.arrayElement(['de', 'en', 'es', 'fr', 'pl', 'tr'])],
  [/company|employer|organi[sz]ation/i, (faker) => faker.company.name()],
  [/department|team/i, (faker) => faker.commerce.department()],
  [/job|role|position|title/i, (faker) => faker.person.jobTitle()],
  [/plan|tier|level/i, (faker) => faker.helpers.arrayElement(['free', 'pro', 'team'])],
  [/url|site|link|avatar|photo|image/i, (faker) => `https://www.example.org/${faker.lorem.slug(2)}`],
  [/mail/i, (faker) => `${faker.lorem.slug(2)}@example.org`],
  [/colou?r/i, (faker) => faker.color.human()],
  [/bio|about|note|comment|description/i, (faker) => faker.person.bio()],
  [/(id|code|key|number|no)$/i, (faker) => faker.string.alphanumeric({ length: 8, casing: 'upper' })],
];

const YEARS: [RegExp, { from: string; to: string }][] = [
  [/birth|born/i, { from: '1950-01-01', to: '2005-12-31' }],
  [/expir|renew|until|due|end/i, { from: '2027-01-01', to: '2030-12-31' }],
];
const RECENT = { from: '2020-01-01', to: '2026-06-30' };

const MAX_LISTED = 3;
/** How often a value is made until one obeys all limits. */
const MAX_ATTEMPTS = 50;
/** As many users have a value of an optional field. */
const FILLED = 0.8;

/** Makes the values of one user after another. Throws an error if it can make none of a required field. */
export function createValueMaker(): (faker: Faker) => Record<string, FieldValue> {
  const makers = ownFields.map((field) => ({ ...field, make: createMaker(field) }));
  return (faker) => {
    const values: Record<string, FieldValue> = {};
    for (const { name, required, make } of makers) {
      const value = required || faker.datatype.boolean(FILLED) ? make(faker) : undefined;
      if (value !== undefined) values[name] = value;
      else if (required)
        throw new Error(
          `--sample can make no more valid values of the field ${name}; take fewer users or leave it out`,
        );
    }
    return values;
  };
}

/** Values of unique fields differ in any case. */
function createMaker(field: OwnField): (faker: Faker) => FieldValue | undefined {
  const schema = valueSchema(field);
  const makeItem = createItemMaker(field);
  const makeValue = field.list ? createListMaker(field, makeItem) : makeItem;
  const taken = new Set<string>();
  return (faker) => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { data } = schema.safeParse(makeValue(faker, attempt));
      const key = String(data).toLowerCase();
      if (data === undefined || (field.unique && taken.has(key))) continue;
      taken.add(key);
      return data;
    }
    return field.unique ? undefined : findExample(field);
  };
}

/** Makes a value that may exceed the limits. */
type ItemMaker = (faker: Faker, attempt: number) => string | number | boolean | undefined;

const createListMaker =
  ({ maxItems = MAX_LISTED }: OwnField, makeItem: ItemMaker) =>
  (faker: Faker, attempt: number) =>
    Array.from({ length: faker.number.int({ min: 1, max: Math.min(MAX_LISTED, maxItems) }) }, () =>
      makeItem(faker, attempt),
    );

function createItemMaker(field: OwnField): ItemMaker {
  const { name, type, pattern, enum: values } = field;
  if (values) return (faker) => faker.helpers.arrayElement(values);
  switch (type) {
    case 'string':
      return pattern === undefined ? createTextMaker(field) : createMatchMaker(pattern);
    case 'integer':
      return (faker) => faker.number.int(findRange(field));
    case 'number':
      return (faker) => faker.number.float({ ...findRange(field), fractionDigits: 2 });
    case 'boolean':
      return (faker) => faker.datatype.boolean();
    case 'date':
      return (faker) => makeTime(name, faker).slice(0, 10);
    case 'dateTime':
      return (faker) => makeTime(name, faker);
  }
}

function createTextMaker({ name, unique, maxLength = MAX_LENGTH }: OwnField): ItemMaker {
  const make = TEXTS.find(([words]) => words.test(name))?.[1] ?? ((faker: Faker) => faker.word.noun());
  return (faker, attempt) => {
    // Names repeat among many users.
    const suffix = unique && attempt > 2 ? String(faker.number.int(9_999)) : '';
    return `${make(faker).slice(0, Math.max(0, maxLength - suffix.length))}${suffix}`;
  };
}

/** Faker knows no groups in patterns, fast-check no assertions: there are no values of such a pattern. */
function createMatchMaker(pattern: string): ItemMaker {
  let matches: string[] = [];
  let seed = 0;
  // Letters of any script would not be believable.
  const expression = new RegExp(pattern.replace(/\\p\{\w+\}/g, '\\w'), 'u');
  const makeMatches = (arbitrary: fc.Arbitrary<string>) => () => {
    if (matches.length === 0) matches = fc.sample(arbitrary, { seed: seed++, numRuns: 1_000 });
    return matches.pop();
  };
  try {
    return makeMatches(fc.stringMatching(expression));
  } catch {
    return () => undefined;
  }
}

/** Ages are those of adults; other numbers are small, unless they must differ. */
function findRange({ name, unique, minimum = -Infinity, maximum = Infinity }: OwnField): { min: number; max: number } {
  const [usualMin, usualMax] = /age$/i.test(name) ? [18, 90] : [1, unique ? 9_999_999 : 1_000];
  if (maximum < usualMin) return { min: Math.max(minimum, maximum - usualMax), max: maximum };
  const min = Math.max(minimum, usualMin);
  return { min, max: Math.min(maximum, Math.max(min + usualMax - usualMin, usualMax)) };
}

const makeTime = (name: string, faker: Faker) =>
  faker.date.between(YEARS.find(([words]) => words.test(name))?.[1] ?? RECENT).toISOString();
