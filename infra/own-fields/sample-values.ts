import type { Faker } from '@faker-js/faker';
import fc from 'fast-check';
import {
  type FieldType,
  type FieldValue,
  findExample,
  MAX_LENGTH,
  type OwnField,
} from '../../lib/users/fields/declaration.ts';
import { valueSchema } from '../../lib/users/fields/value-schema.ts';
import { membershipField, ownFields } from '../../lib/users/fields/values.ts';

const YEARS = { from: '1960-01-01', to: '2026-06-30' };
const MAX_LISTED = 3;
const MAX_ATTEMPTS = 50;
const FILLED = 0.8;

/** Throws if a required field has no more values. */
export function createValueMaker(): (faker: Faker) => Record<string, FieldValue> {
  const fields = ownFields.filter((field) => field !== membershipField); // Sample data has no groups.
  const makers = fields.map((field) => ({ ...field, make: createMaker(field) }));
  return (faker) => {
    const values: Record<string, FieldValue> = {};
    for (const { name, required, make } of makers) {
      const value = required || faker.datatype.boolean(FILLED) ? make(faker) : undefined;
      if (value !== undefined) values[name] = value;
      else if (required)
        throw new Error(
          `--sample cannot make more valid values of the field ${name}: use fewer users, or drop the field`,
        );
    }
    return values;
  };
}

/** Values of a unique field differ, even if case is ignored. */
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

type ItemMaker = (faker: Faker, attempt: number) => FieldValue | undefined;

const createListMaker =
  ({ maxItems = MAX_LISTED }: OwnField, makeItem: ItemMaker) =>
  (faker: Faker, attempt: number) =>
    Array.from({ length: faker.number.int({ min: 1, max: Math.min(MAX_LISTED, maxItems) }) }, () =>
      makeItem(faker, attempt),
    );

/** Attempts with a value that suits the field's name, before any valid value. */
const MAX_NAMED = 5;

const NAMED: { name: RegExp; type: FieldType; make: (faker: Faker, attempt: number) => string }[] = [
  // Numbers for fiction (https://en.wikipedia.org/wiki/555_(telephone_number)). A pattern may forbid spaces.
  {
    name: /phone|mobile/i,
    type: 'string',
    make: (faker, attempt) => {
      const number = `+1 ${faker.number.int({ min: 201, max: 989 })} 555 01${faker.string.numeric(2)}`;
      return attempt % 2 === 0 ? number : number.replaceAll(' ', '');
    },
  },
  { name: /birth/i, type: 'date', make: makeBirthday },
  { name: /birth/i, type: 'string', make: makeBirthday },
  { name: /company/i, type: 'string', make: (faker) => faker.company.name() },
  { name: /^city$|City$/, type: 'string', make: (faker) => faker.location.city() },
  {
    name: /^status$|Status$/,
    type: 'string',
    make: (faker) => faker.helpers.arrayElement(['active', 'active', 'active', 'invited', 'paused']),
  },
];

function makeBirthday(faker: Faker): string {
  return faker.date.birthdate({ mode: 'year', min: 1945, max: 2007 }).toISOString().slice(0, 10);
}

function createItemMaker(field: OwnField): ItemMaker {
  const makeAny = createTypedMaker(field);
  const named = NAMED.find(({ name, type }) => type === field.type && name.test(field.name));
  if (!named || field.enum) return makeAny;
  return (faker, attempt) => (attempt < MAX_NAMED ? named.make(faker, attempt) : makeAny(faker, attempt));
}

function createTypedMaker(field: OwnField): ItemMaker {
  const { type, pattern, enum: values } = field;
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
      return (faker) => makeTime(faker).slice(0, 10);
    case 'dateTime':
      return (faker) => makeTime(faker);
    case 'json':
      return (faker) => ({ [faker.word.noun()]: faker.word.noun() });
    case 'membership':
      return () => undefined;
  }
}

function createTextMaker({ unique, maxLength = MAX_LENGTH }: OwnField): ItemMaker {
  return (faker, attempt) => {
    const suffix = unique && attempt > 2 ? faker.string.numeric(4) : '';
    const text = unique ? faker.internet.username() : faker.word.noun();
    return text.slice(0, Math.max(0, maxLength - suffix.length)) + suffix;
  };
}

/** Uses fast-check, because Faker does not support groups. Makes no text for patterns with assertions. */
function createMatchMaker(pattern: string): ItemMaker {
  let matches: string[] = [];
  let seed = 0;
  // \p{L} would mix letters of all scripts.
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

/** Unique fields get a large range, because all numbers must differ. */
function findRange({ unique, minimum, maximum = Infinity }: OwnField): { min: number; max: number } {
  const min = minimum ?? Math.min(1, maximum);
  return { min, max: Math.min(maximum, min + (unique ? 9_999_999 : 100)) };
}

const makeTime = (faker: Faker) => faker.date.between(YEARS).toISOString();
