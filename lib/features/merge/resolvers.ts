import { readFileSync } from 'node:fs';
import { concatAST, parse } from 'graphql';
import { describeField, extend } from '../../graphql/schema/own-fields.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';
import { ownFields } from '../../users/fields/values.ts';

const definitions = parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true });
const fields = ownFields.filter(({ subject }) => !subject).map((field) => describeField(field, ''));
const extension = extend('input MergeValues', fields);

export const merge = {
  definitions: extension ? concatAST([definitions, parse(extension, { noLocation: true })]) : definitions,
  resolvers: {
    Mutation: loadWithRights(() => import('./graphql-merge.ts'), {
      mergeUsers: ['write'],
      undoMerge: ['write', 'history'],
    }),
  } satisfies Resolvers,
};
