import { createFilterText, rangeName } from '../../lib/features/filters/keys.ts';
import { isEqualJson } from '../../lib/input/json-equality.ts';
import {
  completeDeclaration,
  type FieldDeclaration,
  type FieldType,
  type FieldValue,
  findExample,
  INTEGER_RANGE,
  MAX_FILTER_LENGTH,
  MAX_ITEMS,
  MAX_JSON_BYTES,
  MAX_LENGTH,
  MAX_SUBJECTS,
  NUMBER_RANGE,
  type OwnField,
} from '../../lib/users/fields/declaration.ts';
import { valueSchema } from '../../lib/users/fields/value-schema.ts';
import { findRoomIssue } from './room.ts';

export type FieldDeclarations = Record<string, FieldDeclaration>;

const MAX_FIELDS = 30;
/** Maximum characters of all own fields of a user together, because DynamoDB charges writes by size. */
export const MAX_USER_CHARACTERS = 8_000;
/** Maximum characters of a unique text, which is part of the DynamoDB key of its uniqueness claim. */
const MAX_UNIQUE_LENGTH = 256;
const NUMBER_LENGTH = 20;
const DATE_LENGTH = 24;

export const NAME = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

/** Names of the APIs, and three names that GraphQL does not allow in an enum, such as UserSort. */
const TAKEN_NAMES = new Set(
  `id name email createdAt updatedAt version posts postsConnection fields ifVersion ifNotVersion idempotencyKey mergesJson ifUnmodifiedSince erase idToken page limit after order q search first filter sort createdAfter createdBefore changedSince include group groups role true false null`.split(
    ' ',
  ),
);

const TEXT: FieldType[] = ['string'];
const NUMBERS: FieldType[] = ['integer', 'number'];
const FILTERED: FieldType[] = ['string', 'integer', 'boolean', 'date'];
const SORTED: FieldType[] = ['string', 'integer', 'number', 'date', 'dateTime'];

const LIMITED_TYPES = {
  maxLength: TEXT,
  multiline: TEXT,
  maxBytes: ['json' satisfies FieldType],
  pattern: TEXT,
  minimum: NUMBERS,
  maximum: NUMBERS,
  enum: [...TEXT, ...NUMBERS],
};

/** Yields a sentence for each broken rule. `fields` must match the schema of declarations.ts. */
export function* findIssues(fields: FieldDeclarations): Generator<string> {
  const list = Object.entries(fields).map(
    ([name, declaration]): OwnField => ({
      ...completeDeclaration(declaration),
      name,
    }),
  );
  yield* findSubjectIssues(fields);
  yield* findSignInIssues(fields);
  yield* findAdministratorIssues(fields);
  for (const field of list) {
    const issues = [
      ...findNameIssues(field.name),
      ...findLimitIssues(field),
      ...findOptionIssues(field),
      ...findBlockIssues(field, findSubject(fields) !== undefined),
    ];
    // Checks values only if the limits are valid, because invalid ones yield no schema.
    yield* issues.length > 0 ? issues : findValueIssues(field);
  }
  yield* findTotalIssues(list);
}

/** Returns the name of the field that contains the owner's token subject. */
export const findSubject = (fields: FieldDeclarations): string | undefined =>
  Object.keys(fields).find((name) => fields[name]?.subject);

export function* findNameIssues(name: string): Generator<string> {
  const taken = [...TAKEN_NAMES].find((taken) => isSameName(taken, name));
  if (taken === name || name in Object.prototype)
    yield `A field cannot be named ${name}: the name is reserved, like ${[...TAKEN_NAMES].join(', ')}.`;
  else if (taken) yield `A field cannot be named ${name}: it differs only in case from ${taken}.`;
  else if (!NAME.test(name))
    yield `A field cannot be named ${JSON.stringify(name)}: a name is a letter and up to 49 letters, digits and underscores.`;
}

/** Imports match columns regardless of case, and type names in the OpenAPI document start with a capital letter. */
const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function* findLimitIssues(field: OwnField): Generator<string> {
  const { name, type, list, minimum, maximum, pattern, maxItems } = field;
  for (const [limit, types] of Object.entries(LIMITED_TYPES))
    if (limit in field && !types.includes(type))
      yield `The field ${name} cannot have ${limit}: it requires the type ${types.join(', ')}, but the type is ${type}.`;
  if (maxItems !== undefined && !list) yield `The field ${name} cannot have maxItems: it requires a list.`;
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    yield `The field ${name} has a minimum of ${minimum}, above its maximum of ${maximum}.`;
  for (const limit of [minimum, maximum])
    if (limit !== undefined && NUMBERS.includes(type) && !isStorable(limit, type))
      yield `The field ${name} has the limit ${limit}, but ${describeRange(type)}.`;
  const issue = pattern && findPatternIssue(pattern);
  if (issue) yield `The field ${name} has a pattern that is not a regular expression: ${issue}.`;
  yield* findEnumIssues(field);
}

const getRange = (type: FieldType) => (type === 'integer' ? INTEGER_RANGE : NUMBER_RANGE);

const isStorable = (number: number, type: FieldType): boolean =>
  number >= getRange(type).minimum &&
  number <= getRange(type).maximum &&
  (type === 'number' || Number.isInteger(number));

const describeRange = (type: FieldType) =>
  `${type === 'integer' ? 'an integer is a whole number' : 'a number is'} from ${getRange(type).minimum} to ${getRange(type).maximum}`;

function* findEnumIssues({ name, type, enum: values = [] }: OwnField): Generator<string> {
  const belongs = (value: unknown) =>
    typeof value === 'number' ? NUMBERS.includes(type) && isStorable(value, type) : typeof value === type;
  for (const value of values)
    if (LIMITED_TYPES.enum.includes(type) && !belongs(value))
      yield `The field ${name} has the enum value ${JSON.stringify(value)}, which does not have the type ${type}.`;
  if (new Set(values.map((value) => createFilterText(value) ?? value)).size < values.length)
    yield `The field ${name} has an enum value twice. Invisible characters do not count.`;
}

function findPatternIssue(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function* findOptionIssues(field: OwnField): Generator<string> {
  const { name, type, list, unique, search, sort, required, deprecated } = field;
  if (unique) {
    if ((list && !field.subject) || type === 'boolean' || type === 'json')
      yield `The field ${name} cannot be unique: it has the type ${list ? 'list' : type}.`;
    else if (unique === 'exact' && type !== 'string')
      yield `The field ${name} cannot have unique exact: it requires the type string. Use true for the type ${type}.`;
    if (type === 'string' && getMaxLength(field) > MAX_UNIQUE_LENGTH)
      yield `The field ${name} cannot be unique: its texts may exceed ${MAX_UNIQUE_LENGTH} characters.`;
  }
  if (search && type !== 'string') yield `The field ${name} cannot have search: it requires the type string.`;
  for (const option of ['unique', 'search'] as const)
    if (field[option] && field.default !== undefined)
      yield `The field ${name} cannot have both ${option} and a default: defaults are not stored.`;
  for (const option of ['list', 'enum', 'pattern', 'unique', 'filter'] as const)
    if (field.multiline && field[option]) yield `The field ${name} cannot have both multiline and ${option}.`;
  if (list && type === 'json') yield `The field ${name} cannot have list: a json value can be a list itself.`;
  if (required && deprecated) yield `The field ${name} cannot be both required and deprecated.`;
  if (field.filter) yield* findFilterIssues(field);
  if (sort && (list || !SORTED.includes(type)))
    yield `The field ${name} cannot have sort: it requires a string, number, date or time that is not a list.`;
}

/** Filter values must fit into a DynamoDB key. */
function* findFilterIssues(field: OwnField): Generator<string> {
  const { name, type, list, unique, enum: values } = field;
  if (!values && !(list ? TEXT : FILTERED).includes(type))
    yield `The field ${name} cannot have filter: it requires a string, enum, boolean, integer, date or list of strings.`;
  else if (list && type !== 'string')
    yield `The field ${name} cannot have filter: of lists, only lists of strings can.`;
  if (unique) yield `The field ${name} cannot have both unique and filter: a unique value finds its user.`;
  const invalid = values?.find((value) => createFilterText(value) === undefined);
  if (invalid !== undefined)
    yield `The field ${name} cannot have filter: its enum value ${JSON.stringify(invalid)} has more than ${MAX_FILTER_LENGTH} characters, or a control character.`;
  if (type === 'string' && !values && getMaxLength(field) > MAX_FILTER_LENGTH)
    yield `The field ${name} cannot have filter: its texts may exceed ${MAX_FILTER_LENGTH} characters. Lower maxLength.`;
}

function* findValueIssues(field: OwnField): Generator<string> {
  const { name, enum: values = [], ...limits } = field;
  for (const value of values) yield* findValueIssue(name, 'enum value', value, { ...limits, list: false });
  for (const member of ['default', 'example'] as const) yield* findValueIssue(name, member, field[member], field);
  if (field.required && findExample(field) === undefined)
    yield `The field ${name} needs an example, because it is required and has a pattern.`;
}

function* findValueIssue(
  name: string,
  member: string,
  value: FieldValue | undefined,
  limits: FieldDeclaration,
): Generator<string> {
  if (value === undefined) return;
  // Omits the example, which the error message would contain.
  const { example: _, ...declared } = limits;
  const { data, error } = valueSchema(declared).safeParse(value);
  const start = `The field ${name} has the ${member} ${JSON.stringify(value)}`;
  if (error) yield `${start}, which its limits forbid: ${error.issues[0]?.message}.`;
  else if (!isEqualJson(data, value))
    yield `${start}, which would be stored as ${JSON.stringify(data)}: use that form.`;
}

function getMaxLength({ type, maxLength = MAX_LENGTH, maxBytes = MAX_JSON_BYTES, enum: values }: OwnField): number {
  if (type === 'json') return maxBytes;
  if (type !== 'string') return type === 'date' || type === 'dateTime' ? DATE_LENGTH : NUMBER_LENGTH;
  return values ? Math.max(...values.map((value) => `${value}`.length)) : maxLength;
}

/** Tokens set the values of a subject, so these members do not apply. */
const NOT_FOR_SUBJECTS = [
  ...['enum', 'pattern', 'default', 'required', 'search', 'filter', 'sort', 'multiline', 'maxLength'],
] as readonly (keyof FieldDeclaration)[];

/** A sign-in sets one time, so these members do not apply. */
const NOT_FOR_SIGN_INS = ['list', 'default', 'unique'] as const;

function* findSignInIssues(fields: FieldDeclarations): Generator<string> {
  const declared = Object.entries(fields).filter(([, { signIn }]) => signIn);
  if (declared.length > 1)
    yield `The fields ${declared.map(([name]) => name).join(', ')} have signIn, but only one field can have it.`;
  for (const [name, field] of declared) {
    if (findSubject(fields) === undefined)
      yield `The field ${name} cannot have signIn: own records require a field with subject.`;
    if (field.type !== 'dateTime') yield `The field ${name} cannot have signIn: it requires the type dateTime.`;
    if (field.self === 'write') yield `The field ${name} with signIn cannot have self write: sign-ins set its value.`;
    for (const member of NOT_FOR_SIGN_INS)
      if (field[member] !== undefined && field[member] !== false)
        yield `The field ${name} with signIn cannot have ${member}.`;
  }
}

/** A default would block everyone, and people could block themselves with a field that they write. */
function* findBlockIssues(field: OwnField, hasSubject: boolean): Generator<string> {
  const { name, blocks = [], enum: values = [], default: fallback, list, self } = field;
  if (blocks.length === 0) return;
  const start = `The field ${name} cannot have blocks`;
  if (!hasSubject) yield `${start}: own records require a field with subject.`;
  if (values.length === 0 || list) yield `${start}: it requires an enum that is not a list.`;
  if (self === 'write') yield `${start} and self write: people could block themselves.`;
  for (const value of blocks) {
    if (values.length > 0 && !values.includes(value))
      yield `The field ${name} blocks ${JSON.stringify(value)}, which its enum does not have.`;
    if (value === fallback) yield `The field ${name} cannot block its default ${JSON.stringify(value)}.`;
  }
}

/** Administrators of a group must not change what belongs to the person, or what other groups rely on. */
function* findAdministratorIssues(fields: FieldDeclarations): Generator<string> {
  for (const [name, { groupAdmin, subject, signIn, blocks }] of Object.entries(fields)) {
    if (groupAdmin !== 'write') continue;
    if (subject) yield `The field ${name} with subject cannot have groupAdmin write: the token sets its value.`;
    if (signIn) yield `The field ${name} with signIn cannot have groupAdmin write: sign-ins set its value.`;
    if (blocks)
      yield `The field ${name} cannot have blocks and groupAdmin write: a block also applies in other groups.`;
  }
}

function* findSubjectIssues(fields: FieldDeclarations): Generator<string> {
  const declared = Object.entries(fields);
  const subjects = declared.filter(([, { subject }]) => subject);
  const names = subjects.map(([name]) => name).join(', ');
  if (subjects.length > 1) yield `The fields ${names} have subject, but only one field can have it.`;
  for (const [name, field] of subjects) {
    if (field.type !== 'string') yield `The field ${name} cannot have subject: it requires the type string.`;
    if (field.unique === true)
      yield `The field ${name} with subject cannot have unique true: subjects are unique exact.`;
    if (field.self === 'write')
      yield `The field ${name} with subject cannot have self write: the token sets its value.`;
    if (field.maxItems !== undefined && field.maxItems > MAX_SUBJECTS)
      yield `The field ${name} with subject has maxItems ${field.maxItems}, but a person can have ${MAX_SUBJECTS} logins at most.`;
    for (const member of NOT_FOR_SUBJECTS)
      if (field[member] !== undefined && field[member] !== false)
        yield `The field ${name} with subject cannot have ${member}.`;
  }
  for (const [name, { self, subject, required, default: fallback }] of declared) {
    if (subjects.length === 0 && self)
      yield `The field ${name} cannot have self: own records require a field with subject.`;
    if (subjects.length > 0 && !self)
      yield `The field ${name} needs self (hidden, read or write): what people may do with it in their own record.`;
    if (!subject && required && fallback === undefined && self && self !== 'write')
      yield `The field ${name} needs self write: it is required and has no default, so people must set it.`;
  }
}

function* findTotalIssues(fields: OwnField[]): Generator<string> {
  yield* findSameNames(fields.map(({ name }) => name));
  for (const { name } of fields.filter(({ filter, sort }) => filter || sort))
    if (fields.some((other) => isSameName(other.name, rangeName(name))))
      yield `A field cannot be named ${rangeName(name)}: GraphQL gives this name to the range of ${name}.`;
  if (fields.length > MAX_FIELDS) yield `There are ${fields.length} fields, but a user can have ${MAX_FIELDS} at most.`;
  const roomIssue = findRoomIssue(fields);
  if (roomIssue) yield roomIssue;
  const characters = fields.reduce(
    (sum, field) => sum + getMaxLength(field) * (field.list ? (field.maxItems ?? MAX_ITEMS) : 1),
    0,
  );
  if (characters > MAX_USER_CHARACTERS)
    yield `The fields of a user may have ${characters} characters together, but at most ${MAX_USER_CHARACTERS} fit: lower their limits (maxLength, maxBytes, maxItems).`;
}

function* findSameNames(names: string[]): Generator<string> {
  for (const name of names) {
    const same = names.filter((other) => isSameName(other, name));
    if (same.length > 1 && same[0] === name)
      yield `The fields ${same.join(', ')} differ only in case: rename all but one.`;
  }
}
