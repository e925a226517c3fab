import { readFileSync } from 'node:fs';
import { concatAST, type GraphQLResolveInfo, parse } from 'graphql';
import type { GraphqlContext } from '../../graphql/context.ts';
import { describeField, extend } from '../../graphql/schema/own-fields.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';
import { ownFields } from '../../users/fields/values.ts';

const load = () => import('./graphql-bulk.ts');

const usersPayload = {
  results: <Result>(
    { results }: { results: Result[] },
    _: unknown,
    { budget }: GraphqlContext,
    info: GraphQLResolveInfo,
  ) => budget.spendReturned(results, info),
};

const definitions = parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true });
const upsertFields = ownFields.map((field) => describeField(field, field.required ? '!' : ''));
const extension = extend('input UpsertUserInput', upsertFields);

export const bulk = {
  definitions: extension ? concatAST([definitions, parse(extension, { noLocation: true })]) : definitions,
  resolvers: {
    Query: loadWithRights(load, { usersByIds: ['read'], usersByEmails: ['read'] }),
    Mutation: loadWithRights(load, {
      createUsers: ['write'],
      updateUsers: ['write'],
      upsertUsers: ['write'],
      deleteUsers: ['write'],
    }),
    CreateUsersPayload: usersPayload,
    UpdateUsersPayload: usersPayload,
    UpsertUsersPayload: usersPayload,
  } satisfies Resolvers,
};
