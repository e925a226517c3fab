import { buildASTSchema, isInputObjectType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import { FieldsError, listIssues, readFields } from '../../../infra/own-fields/declarations.ts';
import { readSettings, SettingError } from '../../../infra/settings/settings.ts';
import { definitions } from '../../../lib/graphql/schema/schema.ts';
import { shorten } from '../../../lib/input/parsing.ts';

/** Covers every type and every member. */
const DECLARED = {
  nickname: { type: 'string', maxLength: 40, pattern: '^\\p{L}+$', unique: true, search: true, description: 'A name' },
  tags: { type: 'string', list: true, maxItems: 5, search: true },
  settings: { type: 'json', maxBytes: 700, default: { a: [null] }, example: [1] },
  plan: { type: 'string', enum: ['free', 'pro'], default: 'free', example: 'pro', filter: true, sort: true },
  code: { type: 'string', maxLength: 64, filter: true },
  city: { type: 'string', search: { maxWords: 2 }, filter: true },
  notes: {
    type: 'string',
    maxLength: 900,
    multiline: true,
    label: 'Notes of the team 🗒️',
    group: 'Support',
    default: 'a\nb',
  },
  level: { type: 'number', enum: [0.5, 1], filter: true },
  labels: { type: 'string', list: true, maxLength: 64, maxItems: 2, filter: true },
  seats: { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1, required: true, filter: true, sort: true },
  score: { type: 'number', minimum: -0.5, sort: true },
  isMember: { type: 'boolean', default: false, filter: true },
  birthday: { type: 'date', filter: true, sort: true },
  lastSeen: { type: 'dateTime', deprecated: 'Use the change log', sort: true },
};

test('one time of sign-ins is accepted, also with sort', () => {
  const declared = { ...SUBJECT, seen: { type: 'dateTime', signIn: true, sort: true, self: 'read' } };
  expect(readFields(declared)).toEqual(declared);
});

test('declarations of every type are accepted, as an object or as JSON', () => {
  expect(readFields(DECLARED)).toEqual(DECLARED);
  expect(readSettings({ fields: DECLARED }).fields).toEqual(DECLARED);
  expect(readSettings({ fields: JSON.stringify(DECLARED) }).fields).toEqual(DECLARED);
  expect(readSettings({ fields: '' }).fields).toEqual({});
});

const many = (count: number, declaration: object) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, { type: 'integer', ...declaration }]));

const withSubject = (status: object) => ({ sub: { type: 'string', subject: true, self: 'hidden' }, status });

type Rejected = [declared: object | string, sentence: string | RegExp];

const SUBJECT = { sub: { type: 'string', subject: true, self: 'hidden' } };
const TIME = '2026-01-31T12:00:00.000Z';

/** Expected messages by kind of issue. */
const REJECTED: Record<string, Rejected[]> = {
  subjects: [
    [
      { sub: { type: 'string', subject: true, list: true, maxItems: 6, self: 'hidden' } },
      'The field sub with subject has maxItems 6, but a person can have 5 logins at most.',
    ],
    [
      { sub: { type: 'string', subject: true, maxItems: 2, self: 'hidden' } },
      'The field sub cannot have maxItems: it requires a list.',
    ],
    [
      { codes: { type: 'string', unique: true, list: true } },
      'The field codes cannot be unique: it has the type list.',
    ],
  ],
  names: [
    [
      { email: { type: 'string' } },
      /^A field cannot be named email: the name is reserved, like id, name, email, [^\n]*\.$/,
    ],
    [{ idempotencyKey: { type: 'string' } }, /^A field cannot be named idempotencyKey: the name is reserved/],
    [{ constructor: { type: 'string' } }, /^A field cannot be named constructor: the name is reserved/],
    ...['nick-name', '1st', '_nick', '__type', '', 'a'.repeat(51), 'prénom'].map((name): [object, RegExp] => [
      { [name]: { type: 'string' } },
      /^A field cannot be named "[^"]*": a name is a letter and up to 49 letters, digits and underscores\.$/,
    ]),
    ['{"__proto__":{"type":"string"}}', /^A field cannot be named __proto__: the name is reserved/],
    ...Object.entries({ Email: 'email', NAME: 'name', createdat: 'createdAt' }).map(
      ([name, member]): [object, string] => [
        { [name]: { type: 'string' } },
        `A field cannot be named ${name}: it differs only in case from ${member}.`,
      ],
    ),
    [
      { plan: { type: 'string' }, seats: { type: 'integer' }, Plan: { type: 'string' }, PLAN: { type: 'string' } },
      'The fields plan, Plan, PLAN differ only in case: rename all but one.',
    ],
    [
      { createdafter: { type: 'string' } },
      'A field cannot be named createdafter: it differs only in case from createdAfter.',
    ],
  ],
  'members and their values': [
    [
      { nick: { type: 'string', maxlength: 3 } },
      /^The field nick has the unknown member maxlength; the members are type, list, maxLength, [^\n]*\.$/,
    ],
    [{ nick: { type: 'text' } }, /^The setting fields\.nick\.type is "text"; expected: string, integer \([^\n]*\.$/],
    [{ nick: {} }, /^The setting fields\.nick\.type is missing; expected: string, /],
    [{ nick: 'string' }, 'The setting fields.nick is "string"; expected: an object with a type.'],
    [[], 'The setting fields is []; expected: an object with a declaration for each name.'],
    [
      { nick: { type: 'string', unique: 'yes' } },
      /^The setting fields\.nick\.unique is "yes"; expected: true if no two /,
    ],
    [
      { nick: { type: 'string', maxLength: 0 } },
      /^The setting fields\.nick\.maxLength is 0; expected: maximum characters /,
    ],
    ...[0, 21, 1.5].map((maxWords): [object, string] => [
      { nick: { type: 'string', search: { maxWords } } },
      `The setting fields.nick.search is {"maxWords":${maxWords}}; expected: true if a search finds users by the string, { "maxWords": 4 } for its first words (1 to 20), or false.`,
    ]),
    [
      { nick: { type: 'string', search: { words: 2 } } },
      /^The setting fields\.nick\.search is {"words":2}; expected: /,
    ],
    [
      { plan: { type: 'string', enum: [] } },
      /^The setting fields\.plan\.enum is \[\]; expected: a list of the allowed strings, /,
    ],
  ],
  'members of other types': [
    [
      { seats: { type: 'integer', maxLength: 3 } },
      'The field seats cannot have maxLength: it requires the type string, but the type is integer.',
    ],
    [
      { born: { type: 'date', pattern: '^2' } },
      'The field born cannot have pattern: it requires the type string, but the type is date.',
    ],
    [
      { nick: { type: 'string', minimum: 3 } },
      'The field nick cannot have minimum: it requires the type integer, number, but the type is string.',
    ],
    [
      { born: { type: 'date', maximum: 3 } },
      'The field born cannot have maximum: it requires the type integer, number, but the type is date.',
    ],
    [
      { isMember: { type: 'boolean', enum: [true] } },
      'The field isMember cannot have enum: it requires the type string, integer, number, but the type is boolean.',
    ],
  ],
  'texts, labels and groups': [
    [
      { seats: { type: 'integer', multiline: true } },
      'The field seats cannot have multiline: it requires the type string, but the type is integer.',
    ],
    ...Object.entries({ list: true, enum: ['a'], pattern: '^a', unique: true, filter: true }).map(
      ([option, value]): [object, string] => [
        { notes: { type: 'string', maxLength: 60, multiline: true, [option]: value } },
        `The field notes cannot have both multiline and ${option}.`,
      ],
    ),
    [
      { notes: { type: 'string', multiline: true, default: 'a\r\nb' } },
      'The field notes has the default "a\\r\\nb", which would be stored as "a\\nb": use that form.',
    ],
    ...['', ' a', 'a ', 'a\nb', 'a\u202eb', 'a'.repeat(61)].flatMap((text) =>
      ['label', 'group'].map((member): [object, RegExp] => [
        { nick: { type: 'string', [member]: text } },
        new RegExp(`^The setting fields\\.nick\\.${member} is .*; expected: .* a line of 1 to 60 characters\\.$`),
      ]),
    ),
  ],
  JSON: [
    [
      { nick: { type: 'string', maxBytes: 9 } },
      'The field nick cannot have maxBytes: it requires the type json, but the type is string.',
    ],
    [
      { settings: { type: 'json', maxLength: 9 } },
      'The field settings cannot have maxLength: it requires the type string, but the type is json.',
    ],
    [
      { settings: { type: 'json', maxBytes: 9, list: true } },
      'The field settings cannot have list: a json value can be a list itself.',
    ],
    [{ settings: { type: 'json', unique: true } }, 'The field settings cannot be unique: it has the type json.'],
    [
      { settings: { type: 'json', search: true } },
      'The field settings cannot have search: it requires the type string.',
    ],
    [
      { settings: { type: 'json', filter: true } },
      'The field settings cannot have filter: it requires a string, enum, boolean, integer, date or list of strings.',
    ],
    [
      { settings: { type: 'json', sort: true } },
      'The field settings cannot have sort: it requires a string, number, date or time that is not a list.',
    ],
    [
      { settings: { type: 'json', maxBytes: 0 } },
      /^The setting fields\.settings\.maxBytes is 0; expected: maximum bytes /,
    ],
    [
      { settings: { type: 'json', default: { a: { constructor: 1 } } } },
      'The field settings has the default {"a":{"constructor":1}}, which its limits forbid: is a key that is not allowed.',
    ],
    [
      { settings: { type: 'json', maxBytes: 3, example: 'abc' } },
      'The field settings has the example "abc", which its limits forbid: takes 5 bytes as JSON, which is more than 3.',
    ],
    [{ settings: { type: 'json', default: null } }, /^The setting fields\.settings\.default is null; expected: /],
    [
      { nick: { type: 'string', default: { a: 1 } } },
      /^The field nick has the default {"a":1}, which its limits forbid: /,
    ],
    [
      { settings: { type: 'json', maxBytes: 6000 }, more: { type: 'json', maxBytes: 2001 } },
      'The fields of a user may have 8001 characters together, but at most 8000 fit: lower their limits (maxLength, maxBytes, maxItems).',
    ],
  ],
  'limits, enums and patterns': [
    [{ nick: { type: 'string', maxItems: 3 } }, 'The field nick cannot have maxItems: it requires a list.'],
    [
      { seats: { type: 'integer', minimum: 3, maximum: 2 } },
      'The field seats has a minimum of 3, above its maximum of 2.',
    ],
    ...[2 ** 31, 0.5].map((maximum): [object, string] => [
      { seats: { type: 'integer', maximum } },
      `The field seats has the limit ${maximum}, but an integer is a whole number from -2147483648 to 2147483647.`,
    ]),
    [
      { score: { type: 'number', maximum: 1e300 } },
      'The field score has the limit 1e+300, but a number is from -9007199254740991 to 9007199254740991.',
    ],
    [
      { score: { type: 'number', enum: [1, 1e300] } },
      'The field score has the enum value 1e+300, which does not have the type number.',
    ],
    [
      { nick: { type: 'string', enum: ['a', 2] } },
      'The field nick has the enum value 2, which does not have the type string.',
    ],
    [
      { nick: { type: 'string', pattern: '(' } },
      /^The field nick has a pattern that is not a regular expression: .*\.$/,
    ],
    [{ nick: { type: 'string', pattern: '\\-' } }, /^The field nick has a pattern that is not a regular expression: /],
    [
      { plan: { type: 'string', enum: ['free', 1] } },
      'The field plan has the enum value 1, which does not have the type string.',
    ],
    [
      { seats: { type: 'integer', enum: [1.5] } },
      'The field seats has the enum value 1.5, which does not have the type integer.',
    ],
    [
      { plan: { type: 'string', enum: ['a', 'b', 'a'] } },
      'The field plan has an enum value twice. Invisible characters do not count.',
    ],
    [
      { plan: { type: 'string', enum: ['a', 'a\u00ad'] } },
      'The field plan has an enum value twice. Invisible characters do not count.',
    ],
  ],
  'unique and search': [
    [{ tags: { type: 'string', list: true, unique: true } }, 'The field tags cannot be unique: it has the type list.'],
    [{ isMember: { type: 'boolean', unique: true } }, 'The field isMember cannot be unique: it has the type boolean.'],
    [
      { bio: { type: 'string', maxLength: 257, unique: true } },
      'The field bio cannot be unique: its texts may exceed 256 characters.',
    ],
    [
      { seat: { type: 'integer', unique: 'exact' } },
      'The field seat cannot have unique exact: it requires the type string. Use true for the type integer.',
    ],
    [
      { tags: { type: 'string', list: true, unique: 'exact' } },
      'The field tags cannot be unique: it has the type list.',
    ],
    [
      { account: { type: 'string', maxLength: 64, unique: 'exact', filter: true } },
      'The field account cannot have both unique and filter: a unique value finds its user.',
    ],
    [{ seats: { type: 'integer', search: true } }, 'The field seats cannot have search: it requires the type string.'],
    ...['unique', 'search'].map((option): [object, string] => [
      { nick: { type: 'string', [option]: true, default: 'Al' } },
      `The field nick cannot have both ${option} and a default: defaults are not stored.`,
    ]),
  ],
  'filter and sort': [
    ...[{ type: 'number' }, { type: 'dateTime' }, { type: 'date', list: true }].map((field): [object, string] => [
      { score: { ...field, filter: true } },
      'The field score cannot have filter: it requires a string, enum, boolean, integer, date or list of strings.',
    ]),
    [
      { seats: { type: 'integer', enum: [1, 2], list: true, filter: true } },
      'The field seats cannot have filter: of lists, only lists of strings can.',
    ],
    [
      { city: { type: 'string', maxLength: 65, filter: true } },
      'The field city cannot have filter: its texts may exceed 64 characters. Lower maxLength.',
    ],
    [
      { city: { type: 'string', maxLength: 20, unique: true, filter: true } },
      'The field city cannot have both unique and filter: a unique value finds its user.',
    ],
    ...['a\tb', 'a'.repeat(65)].map((value): [object, string] => [
      { city: { type: 'string', enum: ['Ulm', value], filter: true } },
      `The field city cannot have filter: its enum value ${JSON.stringify(value)} has more than 64 characters, or a control character.`,
    ]),
    ...[{ type: 'boolean' }, { type: 'string', list: true }].map((field): [object, string] => [
      { city: { ...field, sort: true } },
      'The field city cannot have sort: it requires a string, number, date or time that is not a list.',
    ]),
  ],
  'times of sign-ins': [
    [
      { seen: { type: 'dateTime', signIn: true } },
      'The field seen cannot have signIn: own records require a field with subject.',
    ],
    [
      { ...SUBJECT, seen: { type: 'date', signIn: true, self: 'read' } },
      'The field seen cannot have signIn: it requires the type dateTime.',
    ],
    [
      { ...SUBJECT, seen: { type: 'dateTime', signIn: true, self: 'write' } },
      'The field seen with signIn cannot have self write: sign-ins set its value.',
    ],
    ...[{ list: true }, { unique: true }, { default: TIME }].map((member): [object, RegExp] => [
      { ...SUBJECT, seen: { type: 'dateTime', signIn: true, self: 'read', ...member } },
      new RegExp(`^The field seen with signIn cannot have ${Object.keys(member)[0]}\\.`, 'm'),
    ]),
    [
      {
        ...SUBJECT,
        seen: { type: 'dateTime', signIn: true, self: 'read' },
        here: { type: 'dateTime', signIn: true, self: 'hidden' },
      },
      'The fields seen, here have signIn, but only one field can have it.',
    ],
  ],
  'defaults and examples': [
    [
      { nick: { type: 'string', required: true, deprecated: 'Use name' } },
      'The field nick cannot be both required and deprecated.',
    ],
    [
      { plan: { type: 'string', enum: ['free', 'pro'], default: 'gold' } },
      'The field plan has the default "gold", which its limits forbid: must be one of free, pro.',
    ],
    [
      { seats: { type: 'integer', minimum: 1, default: 0 } },
      'The field seats has the default 0, which its limits forbid: must be at least 1.',
    ],
    [
      { seats: { type: 'integer', default: '1' } },
      /^The field seats has the default "1", which its limits forbid: [^\n]*\.$/,
    ],
    [
      { tags: { type: 'string', list: true, default: 'new' } },
      /^The field tags has the default "new", which its limits forbid: [^\n]*\.$/,
    ],
    [
      { tags: { type: 'string', list: true, maxItems: 1, default: ['a', 'b'] } },
      'The field tags has the default ["a","b"], which its limits forbid: must have at most 1 items.',
    ],
    [
      { country: { type: 'string', pattern: '^[A-Z]{2}$', example: 'Poland' } },
      'The field country has the example "Poland", which its limits forbid: must match ^[A-Z]{2}$.',
    ],
    [
      { plan: { type: 'string', enum: ['free', 'premium'], maxLength: 4 } },
      /^The field plan has the enum value "premium", which its limits forbid: [^\n]*\.$/,
    ],
    [
      { since: { type: 'dateTime', default: '2026-01-01T00:00:00Z' } },
      'The field since has the default "2026-01-01T00:00:00Z", which would be stored as "2026-01-01T00:00:00.000Z": use that form.',
    ],
    [
      { birthday: { type: 'date', default: '0000-01-01' } },
      'The field birthday has the default "0000-01-01", which its limits forbid: must be a date such as 2026-01-31, from the year 0001 on.',
    ],
    [
      { since: { type: 'dateTime', example: '0001-01-01T00:00:00+05:00' } },
      'The field since has the example "0001-01-01T00:00:00+05:00", which its limits forbid: must be a time with Z or an offset, such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC.',
    ],
    [
      { country: { type: 'string', pattern: '^[A-Z]{2}$', required: true } },
      'The field country needs an example, because it is required and has a pattern.',
    ],
  ],
  blocks: [
    [
      { status: { type: 'string', enum: ['a', 'b'], blocks: ['b'] } },
      'The field status cannot have blocks: own records require a field with subject.',
    ],
    [
      withSubject({ type: 'string', enum: ['a', 'b'], blocks: [], self: 'read' }),
      'The setting fields.status.blocks is []; expected: a list of values of the enum: people with one of them cannot use their own record.',
    ],
    ...[
      { type: 'boolean', blocks: [true], self: 'read' },
      { type: 'string', list: true, enum: ['a', 'b'], blocks: ['b'], self: 'read' },
    ].map(
      (status): Rejected => [
        withSubject(status),
        'The field status cannot have blocks: it requires an enum that is not a list.',
      ],
    ),
    [
      withSubject({ type: 'string', enum: ['a', 'b'], blocks: ['b'], self: 'write' }),
      'The field status cannot have blocks and self write: people could block themselves.',
    ],
    [
      withSubject({ type: 'integer', enum: [1, 2], blocks: ['2'], self: 'hidden' }),
      'The field status blocks "2", which its enum does not have.',
    ],
    [
      withSubject({ type: 'string', enum: ['a', 'b'], default: 'b', blocks: ['b'], self: 'hidden' }),
      'The field status cannot block its default "b".',
    ],
  ],
  sizes: [
    [many(31, {}), 'There are 31 fields, but a user can have 30 at most.'],
    [
      { bio: { type: 'string', maxLength: 7_000 }, tags: { type: 'string', list: true, maxLength: 60 } },
      'The fields of a user may have 8200 characters together, but at most 8000 fit: lower their limits (maxLength, maxBytes, maxItems).',
    ],
  ],
};

const nameRows = (rows: Rejected[]) =>
  rows.map(
    ([declared, sentence], at) => [`${at}: ${shorten(JSON.stringify(declared), 70)}`, declared, sentence] as const,
  );

describe.each(Object.entries(REJECTED))('rejected with one sentence: %s', (_, rows) => {
  test.each(nameRows(rows))('%s', (_, declared, sentence) => {
    const matching = typeof sentence === 'string' ? sentence : expect.stringMatching(sentence);
    expect(listIssues(declared)).toEqual([matching]);
  });
});

/** Own fields must not have names of members or parameters in the GraphQL schema. */
const schema = buildASTSchema(definitions);
const types = ['User', 'CreateUserInput', 'ReplaceUserInput', 'UpdateUserInput'];
const members = types.flatMap((name) => {
  const type = schema.getType(name);
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
});
const { paths } = openApiDocument('1.2.3') as { paths: Record<string, { get: { parameters: { name?: string }[] } }> };
const parameters = ['/api/users', '/v1/users'].flatMap((path) => paths[path]?.get.parameters ?? []);
const parameterNames = parameters.flatMap(({ name }) => name ?? []);

/** Sorted fields become values of an enum. GraphQL reserves these names. */
const literals = ['true', 'false', 'null'];

test.each([...new Set([...members, ...parameterNames, ...literals])])('the name %s is reserved', (name) => {
  expect(listIssues({ [name]: { type: 'string' } })).toEqual([
    expect.stringContaining(`A field cannot be named ${name}: the name is reserved`),
  ]);
});

test('all issues are listed, one per line', () => {
  const declared = { email: { type: 'string' }, nick: { type: 'string', minimum: 2, unique: true, default: 'Al' } };
  expect(listIssues(declared)).toHaveLength(3);
  expect(() => readFields(declared)).toThrow(FieldsError);
  expect(() => readFields(declared)).toThrow(listIssues(declared).join('\n'));
  expect(() => readSettings({ fields: declared })).toThrow(SettingError);
  expect(() => readSettings({ fields: declared })).toThrow(listIssues(declared).join('\n'));
});

test('several fields can block people', () => {
  const level = { type: 'integer', enum: [1, 2], blocks: [2], self: 'hidden' };
  const status = { type: 'string', enum: ['a', 'b', 'c'], default: 'a', blocks: ['b', 'c'], self: 'read' };
  expect(listIssues({ ...withSubject(status), level })).toEqual([]);
});

test('23 unique fields beside a search field fit into one write', () => {
  expect(listIssues({ ...many(23, { unique: true }), motto: { type: 'string', search: true } })).toEqual([]);
});

test('a filtered string has at most 64 characters by default', () => {
  const example = 'a'.repeat(65);
  expect(listIssues({ city: { type: 'string', filter: true, example } })).toEqual([
    `The field city has the example "${example}", which its limits forbid: must have at most 64 characters.`,
  ]);
});

test.each([
  ['{ "plan": { "type": "date" }, "pl\\u0061n": { "type": "string" } }', 'The member plan must be given only once.'],
  ['{ "age": { "type": "number", "maximum": 9, "maximum": 99 } }', 'The member age.maximum must be given only once.'],
  ['{ "age": { "type": "number", "maximum": 0.12345678901234567890 } }', /^The member age\.maximum cannot be stored/],
])('the JSON %s is rejected', (declared, line) => {
  expect(listIssues(declared)).toEqual([expect.stringMatching(line)]);
});

test('text that is not JSON is rejected', () => {
  expect(() => readSettings({ fields: '{nickname' })).toThrow(
    'The setting fields is "{nickname"; expected: an object with a declaration for each name.',
  );
});
