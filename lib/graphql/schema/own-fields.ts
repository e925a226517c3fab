import { type DocumentNode, GraphQLError, GraphQLScalarType, Kind, parse } from 'graphql';
import { JSONResolver } from 'graphql-scalars';
import { filterFields, rangeFields } from '../../features/filters/entries.ts';
import { rangeName } from '../../features/filters/keys.ts';
import { describeRoles, type FieldType, type FieldValue, type OwnField } from '../../users/fields/declaration.ts';
import { type Membership, membershipField, ownFields, uniqueFields } from '../../users/fields/values.ts';
import type { User } from '../../users/user.ts';
import { CLAIM_AND_USER } from '../budget.ts';
import type { GraphqlContext } from '../context.ts';
import { usersAndPosts } from './resolvers.ts';
import { withRights } from './root-fields.ts';

const TYPE_NAMES: Record<FieldType, string> = {
  string: 'String',
  integer: 'Int',
  number: 'Float',
  boolean: 'Boolean',
  date: 'Date',
  dateTime: 'DateTime',
  json: 'JSON',
  membership: 'MembershipInput',
};

const typeName = ({ type, list }: OwnField) => (list ? `[${TYPE_NAMES[type]}!]` : TYPE_NAMES[type]);

const lookupName = ({ name }: OwnField) => `userBy${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const DATE_DESCRIPTION = 'A date in ISO 8601, such as 2026-01-31.';

const JSON_DESCRIPTION = 'Any JSON value.';

/** lib/features/groups adds `User.groups`. */
const shownFields = ownFields.filter((field) => field !== membershipField);

const hasDates = ownFields.some(({ type }) => type === 'date');
const hasJson = ownFields.some(({ type }) => type === 'json');

function describeOwnFields(): string {
  const whole = ownFields.map((field) => describeField(field, field.required ? '!' : ''));
  const changed = ownFields.map((field) => describeField(field, ''));
  return [
    hasDates ? `${JSON.stringify(DATE_DESCRIPTION)} scalar Date` : '',
    hasJson ? `${JSON.stringify(JSON_DESCRIPTION)} scalar JSON` : '',
    membershipField ? describeMemberships(membershipField) : '',
    extend(
      'type User',
      shownFields.map((field) => describeField(field, field.default === undefined ? '' : '!')),
    ),
    extend('input CreateUserInput', whole),
    extend('input ReplaceUserInput', whole),
    extend('input UpdateUserInput', changed),
    extend(
      'type Query',
      uniqueFields.map((field) => {
        const description =
          field.unique === 'exact' ? '"Compares the value exactly, including case. Null if no user has it." ' : '';
        return `${description}${lookupName(field)}(${field.name}: ${typeName({ ...field, list: false })}!): User`;
      }),
    ),
    extend('input UserFilter', [
      ...filterFields.map((field) => describeField({ ...field, list: true }, '')),
      ...rangeFields.map(
        ({ name, type, sort }) => `${rangeName(name)}: ${sort ? `${TYPE_NAMES[type]}Range` : 'Existence'}`,
      ),
    ]),
    ...[...new Set(rangeFields.filter(({ sort }) => sort).map(({ type }) => TYPE_NAMES[type]))].map(describeRange),
    rangeFields.some(({ sort }) => !sort)
      ? `"${EXISTENCE} Needs another condition." input Existence { ${EXISTS} }`
      : '',
    extend(
      'enum UserSort',
      ownFields.filter(({ sort }) => sort).map(({ name }) => name),
    ),
  ].join('\n');
}

const describeMemberships = ({ roles = [] }: OwnField): string =>
  `input MembershipInput {
    "An id of a group that exists." id: ID!
    ${JSON.stringify(describeRoles(roles))} role: String
  }
  extend input UserFilter {
    "Members of the group with this id." group: ID
    "Members with this role in the group. Requires group." role: String
  }`;

const EXISTENCE = 'Users with or without a value.';
const EXISTS = '"False finds users without a value." exists: Boolean';

const describeRange = (type: string): string =>
  `"Users with a value in the range, in the order of the values." input ${type}Range {
    "At least this value." gte: ${type} "Above this value." gt: ${type}
    "At most this value." lte: ${type} "Below this value." lt: ${type} ${EXISTS} }`;

export const extend = (type: string, members: string[]): string =>
  members.length === 0 ? '' : `extend ${type} {\n${members.join('\n')}\n}`;

/** Writes texts with JSON.stringify, because JSON strings are valid GraphQL strings. */
export function describeField(field: OwnField, nonNull: '!' | ''): string {
  const { name, description, deprecated } = field;
  const reason = deprecated ? ` @deprecated(reason: ${JSON.stringify(deprecated)})` : '';
  return `${description ? `${JSON.stringify(description)} ` : ''}${name}: ${typeName(field)}${nonNull}${reason}`;
}

const dateScalar = new GraphQLScalarType({
  name: 'Date',
  // The input schema validates the date.
  parseValue: parseDate,
  parseLiteral: (node) => parseDate(node.kind === Kind.STRING ? node.value : undefined),
});

function parseDate(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('Date must be a string such as "2026-01-31"', { extensions: { code: 'BAD_USER_INPUT' } });
}

/** The scalar DateTime parses to a `Date`, but own fields are stored as text. */
const toText = <Value>(value: Value | Date) => (value instanceof Date ? value.toISOString() : value);

const ownNames = new Set(ownFields.map(({ name }) => name));

const toRestValue = (name: string, value: unknown) => {
  if (name === membershipField?.name) return toRestMemberships(value);
  return Array.isArray(value) ? value.map(toText) : toText(value);
};

/** A role that is null is the same as no role. */
const toRestMemberships = (value: unknown) =>
  Array.isArray(value) ? value.map(({ id, role }: Partial<Membership>) => ({ id, role: role ?? undefined })) : value;

// The casts are safe: members that schema.graphql declares are unchanged.

/** Converts the GraphQL values of own fields to the values that REST uses. Null clears a field. */
export function toRestValues<Input extends object>(input: Input): Input {
  const members = Object.entries(input);
  return Object.fromEntries(
    members.map(([name, value]) => [name, ownNames.has(name) ? toRestValue(name, value) : value]),
  ) as Input;
}

/** Drops own fields that are null: clients send null for variables without a value. */
export function toRestValuesWithoutNull<Input extends object>(input: Input): Input {
  const members = Object.entries(toRestValues(input));
  return Object.fromEntries(members.filter(([name, value]) => value !== null || !ownNames.has(name))) as Input;
}

function mapInput<Input, Others extends unknown[], Result>(
  mutate: (parent: Record<PropertyKey, never>, args: { input: Input }, ...others: Others) => Result,
  convert: (input: Input) => Input,
) {
  return (parent: Record<PropertyKey, never>, { input }: { input: Input }, ...others: Others): Result =>
    mutate(parent, { input: convert(input) }, ...others);
}

const { createUser, replaceUser, updateUser } = usersAndPosts.resolvers.Mutation;

const resolvers = {
  User: Object.fromEntries(shownFields.map(({ name }) => [name, ({ own }: User) => own[name]])),
  Query: Object.fromEntries(
    uniqueFields.map((field) => [
      lookupName(field),
      // The caller already knows the value, so `list` is not needed.
      withRights(
        ['read'],
        async (_: unknown, input: Record<string, FieldValue | Date>, { users, budget }: GraphqlContext) => {
          budget.spendRead(CLAIM_AND_USER);
          const value = input[field.name];
          const { findUserByField } = await import('../../users/unique-values.ts');
          const user = value === undefined ? undefined : await findUserByField(field, toText(value));
          if (user) users.prime(user.id, user);
          return user;
        },
      ),
    ]),
  ),
  Mutation: {
    createUser: withRights(['write'], mapInput(createUser, toRestValuesWithoutNull)),
    replaceUser: withRights(['write'], mapInput(replaceUser, toRestValuesWithoutNull)),
    updateUser: withRights(['write'], mapInput(updateUser, toRestValues)),
  },
  ...(hasDates ? { Date: dateScalar } : {}),
  ...(hasJson ? { JSON: JSONResolver } : {}),
};

/** For parts of the schema that the settings turn off. */
export const NO_DEFINITIONS: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

/** Casts: the compiler does not know the declared fields. */
export const ownFieldTypes = {
  definitions: ownFields.length > 0 ? parse(describeOwnFields(), { noLocation: true }) : NO_DEFINITIONS,
  resolvers: (ownFields.length > 0 ? resolvers : {}) as Record<never, object>,
};
