import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import type { GraphqlContext } from '../../graphql/context.ts';
import { findUserByField } from '../../users/claims.ts';
import type { User } from '../../users/schema.ts';
import type { FieldType, FieldValue, OwnField } from './declaration.ts';
import { ownFields, showValue, uniqueFields } from './declared.ts';

const TYPE_NAMES: Record<FieldType, string> = {
  string: 'String',
  integer: 'Int',
  number: 'Float',
  boolean: 'Boolean',
  date: 'Date',
  dateTime: 'DateTime',
};

const typeName = ({ type, list }: OwnField) => (list ? `[${TYPE_NAMES[type]}!]` : TYPE_NAMES[type]);

const lookupName = ({ name }: OwnField) => `userBy${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const DATE_DESCRIPTION = 'A date in ISO 8601, such as 2026-01-31.';

const hasDates = ownFields.some(({ type }) => type === 'date');

/** The definitions of the team's own fields. They extend schema.graphql, and there are none without declared fields. */
function describeOwnFields(): string {
  if (ownFields.length === 0) return '';
  const whole = ownFields.map((field) => describeField(field, field.required ? '!' : ''));
  const changed = ownFields.map((field) => describeField(field, ''));
  return [
    hasDates ? `${JSON.stringify(DATE_DESCRIPTION)} scalar Date` : '',
    extend(
      'type User',
      ownFields.map((field) => describeField(field, field.default === undefined ? '' : '!')),
    ),
    extend('input CreateUserInput', whole),
    extend('input ReplaceUserInput', whole),
    extend('input UpdateUserInput', changed),
    extend(
      'type Query',
      uniqueFields.map((field) => `${lookupName(field)}(${field.name}: ${typeName(field)}!): User`),
    ),
  ].join('\n');
}

const extend = (type: string, members: string[]): string =>
  members.length === 0 ? '' : `extend ${type} {\n${members.join('\n')}\n}`;

/** A JSON text is a text of GraphQL, too. */
function describeField(field: OwnField, nonNull: '!' | ''): string {
  const { name, description, deprecated } = field;
  const reason = deprecated ? ` @deprecated(reason: ${JSON.stringify(deprecated)})` : '';
  return `${description ? `${JSON.stringify(description)} ` : ''}${name}: ${typeName(field)}${nonNull}${reason}`;
}

const dateScalar = new GraphQLScalarType({
  name: 'Date',
  description: DATE_DESCRIPTION,
  // The schema of the input says what is a date.
  parseValue: parseDate,
  parseLiteral: (node) => parseDate(node.kind === Kind.STRING ? node.value : undefined),
});

function parseDate(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('Date must be a text such as 2026-01-31', { extensions: { code: 'BAD_USER_INPUT' } });
}

const resolvers = {
  User: Object.fromEntries(ownFields.map((field) => [field.name, ({ fields }: User) => showValue(field, fields)])),
  Query: Object.fromEntries(
    uniqueFields.map((field) => [
      lookupName(field),
      async (_: unknown, input: Record<string, FieldValue | Date>, { users }: GraphqlContext) => {
        const value = input[field.name];
        const user = value === undefined ? undefined : await findUserByField(field, toText(value));
        if (user) users.prime(user.id, user);
        return user;
      },
    ]),
  ),
  ...(hasDates ? { Date: dateScalar } : {}),
};

/** The compiler does not know which fields are declared. */
export const ownFieldTypes = { typeDefs: describeOwnFields(), resolvers: resolvers as Record<never, object> };

/** The scalar DateTime gives a Date; the own fields are texts, as in REST. */
const toText = <Value>(value: Value | Date) => (value instanceof Date ? value.toISOString() : value);

const ownNames = new Set(ownFields.map(({ name }) => name));

/** Returns an input that changes a user, with the values as REST has them: null clears. The members of schema.graphql stay. */
export const readChangedFields = <Input extends object>(input: Input): Input =>
  mapOwnFields(input, (value) => [Array.isArray(value) ? value.map(toText) : toText(value)]);

/** Returns an input that creates or replaces a user. Clients send null for a variable that is not given. */
export const readAllFields = <Input extends object>(input: Input): Input =>
  mapOwnFields(readChangedFields(input), (value) => (value === null ? [] : [value]));

/** A value is left out, or becomes another. */
function mapOwnFields<Input extends object>(input: Input, map: (value: unknown) => [] | [unknown]): Input {
  if (ownNames.size === 0) return input;
  const members = Object.entries(input).flatMap(([name, value]) =>
    ownNames.has(name) ? map(value).map((mapped) => [name, mapped]) : [[name, value]],
  );
  // The members of schema.graphql are unchanged.
  return Object.fromEntries(members) as Input;
}
