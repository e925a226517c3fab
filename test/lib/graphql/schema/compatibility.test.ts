import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import {
  type BreakingChange,
  buildASTSchema,
  buildSchema,
  findBreakingChanges,
  type GraphQLSchema,
  Kind,
  parse,
  validateSchema,
} from 'graphql';
import { expect, test } from 'vitest';
import { addDeprecations } from '../../../../lib/graphql/http/plugins.ts';
import { addResolvers, definitions, schema } from '../../../../lib/graphql/schema/schema.ts';
import { findDeprecations } from '../../../../lib/graphql/validation.ts';

const published = buildSchema(readFileSync('lib/graphql/schema/published.graphql', 'utf8'));

/** Finds breaking changes, except removals of deprecated fields and enum values. */
const findUnannouncedChanges = (before: GraphQLSchema, after: GraphQLSchema): BreakingChange[] =>
  findBreakingChanges(before, after).filter(
    ({ type, description }) => !(/^(FIELD|VALUE)_REMOVED/.test(type) && wasDeprecated(before, description)),
  );

/**
 * True if the removed field or value was deprecated. Parses "User.nick was removed." and "RED was removed from enum
 * type Color."
 */
function wasDeprecated(before: GraphQLSchema, description: string): boolean {
  const [, parent, field] = /^(\w+)\.(\w+) was removed/.exec(description) ?? [];
  const [, value, enumName] = /^(\w+) was removed from enum type (\w+)/.exec(description) ?? [];
  const type = before.getType(parent ?? enumName ?? '');
  if (!type) return false;
  if (field && 'getFields' in type) return type.getFields()[field]?.deprecationReason != null;
  return 'getValues' in type && type.getValues().find(({ name }) => name === value)?.deprecationReason != null;
}

const users = (fields: string) => buildSchema(`type User { id: ID! ${fields} } type Query { user(id: ID!): User }`);

test('clients read the description of a scalar in the schema file, not of graphql-scalars', () => {
  const scalars = definitions.definitions.filter((each) => each.kind === Kind.SCALAR_TYPE_DEFINITION);
  const described = scalars.map(({ name, description }) => [name.value, description?.value]);
  expect(described).toEqual([['DateTime', expect.stringContaining('with Z or an offset')]]);
  for (const [name, description] of described) expect(schema.getType(String(name))?.description).toBe(description);
});

test('the schema is valid', () => {
  // Expects a valid schema. buildASTSchema also throws if the SDL is invalid.
  expect(validateSchema(buildASTSchema(definitions))).toEqual([]);
});

test.each([
  [{ Nobody: {} }, 'The schema has no type Nobody'],
  [{ Query: { nobody: () => null } }, 'The schema has no field nobody'],
])('resolvers of unknown fields are errors: %o', (resolvers, message) => {
  expect(() => addResolvers(buildASTSchema(definitions), resolvers)).toThrow(message);
});

test('the schema has no breaking change that was not announced by a deprecation', () => {
  expect(findUnannouncedChanges(published, schema)).toEqual([]);
});

test('the removal of a field is breaking unless the field was published as deprecated', () => {
  expect(findUnannouncedChanges(users('nick: String'), users(''))).toMatchObject([{ type: 'FIELD_REMOVED' }]);
  expect(findUnannouncedChanges(users('nick: String @deprecated(reason: "Use name")'), users(''))).toEqual([]);
});

test('a changed type or a new required argument is breaking even for a deprecated field', () => {
  const before = users('nick(long: Boolean): String @deprecated');
  expect(findUnannouncedChanges(before, users('nick(long: Boolean): Int @deprecated'))).toHaveLength(1);
  expect(findUnannouncedChanges(before, users('nick(long: Boolean!): String @deprecated'))).toHaveLength(1);
});

test('extensions.deprecations names each deprecated field of the operation once', async () => {
  const typeDefs = `type Query { old: String @deprecated(reason: "Use new") new: String }`;
  const resolvers = { Query: { old: () => 'a', new: () => 'b' } };
  const server = new ApolloServer({ typeDefs, resolvers, plugins: [addDeprecations] });
  const ask = async (query: string) => {
    const { body } = await server.executeOperation({ query });
    return body.kind === 'single' ? body.singleResult : undefined;
  };
  expect(await ask('{ old again: old new }')).toMatchObject({
    data: { old: 'a', again: 'a', new: 'b' },
    extensions: { deprecations: ['The field Query.old is deprecated. Use new'] },
  });
  expect((await ask('{ new }'))?.extensions).toBeUndefined();
  await server.stop();
});

test('a document without deprecated fields has no deprecations', () => {
  expect(findDeprecations(schema, parse('{ users { totalCount } }'))).toEqual([]);
});
