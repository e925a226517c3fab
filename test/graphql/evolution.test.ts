import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { type BreakingChange, buildSchema, findBreakingChanges, type GraphQLSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { findDeprecations, addDeprecations } from '../../lib/graphql/deprecations.ts';
import { schema } from '../../lib/graphql/schema/schema.ts';

const published = buildSchema(readFileSync('lib/graphql/schema/published.graphql', 'utf8'));

/** Breaks that clients were not warned of: all but the removal of a field or value that was published as deprecated. */
const unannounced = (before: GraphQLSchema, after: GraphQLSchema): BreakingChange[] =>
  findBreakingChanges(before, after).filter(
    ({ type, description }) => !(/^(FIELD|VALUE)_REMOVED/.test(type) && wasDeprecated(before, description)),
  );

/** graphql-js describes a removal by coordinate: "User.nick was removed.", "RED was removed from enum type Color." */
function wasDeprecated(before: GraphQLSchema, description: string): boolean {
  const [, parent, field] = /^(\w+)\.(\w+) was removed/.exec(description) ?? [];
  const [, value, enumName] = /^(\w+) was removed from enum type (\w+)/.exec(description) ?? [];
  const type = before.getType(parent ?? enumName ?? '');
  if (!type) return false;
  if (field && 'getFields' in type) return type.getFields()[field]?.deprecationReason != null;
  return 'getValues' in type && type.getValues().find(({ name }) => name === value)?.deprecationReason != null;
}

const users = (fields: string) => buildSchema(`type User { id: ID! ${fields} } type Query { user(id: ID!): User }`);

test('nothing that clients rely on was removed or changed without a warning', () => {
  expect(unannounced(published, schema)).toEqual([]);
});

test('a removed field is a break, unless it was published as deprecated', () => {
  expect(unannounced(users('nick: String'), users(''))).toMatchObject([{ type: 'FIELD_REMOVED' }]);
  expect(unannounced(users('nick: String @deprecated(reason: "Use name")'), users(''))).toEqual([]);
});

test('a changed type or a new required argument is a break even of a deprecated field', () => {
  const before = users('nick(long: Boolean): String @deprecated');
  expect(unannounced(before, users('nick(long: Boolean): Int @deprecated'))).toHaveLength(1);
  expect(unannounced(before, users('nick(long: Boolean!): String @deprecated'))).toHaveLength(1);
});

test('an answer says in its extensions which deprecated fields it was asked for, once each', async () => {
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

test('a document that uses nothing deprecated has nothing to say', () => {
  expect(findDeprecations(schema, parse('{ users { totalCount } }'))).toEqual([]);
});
