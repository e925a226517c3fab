import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { buildSchema, getNamedType, isObjectType, parse } from 'graphql';

/** The generated file is not in git: `npm ci` writes it, and so does the check of the types. */
const RESOLVER_TYPES = 'lib/graphql/schema/resolver-types.ts';

/** The definitions of the core and of all features. The modules that read them need the generated types. */
const typeDefs = globSync('lib/**/schema.graphql')
  .toSorted()
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

const HEADER = '// Generated from the files schema.graphql by `npm run generate`.';

/** A type XEdge says of which nodes an XConnection is a page. */
const connections = Object.values(buildSchema(typeDefs).getTypeMap()).flatMap((edge) => {
  const { node } = isObjectType(edge) && edge.name.endsWith('Edge') ? edge.getFields() : {};
  const page = `./connection.ts#Connection<ResolversParentTypes['${node && getNamedType(node.type)}']>`;
  return node ? [[edge.name.replace(/Edge$/, 'Connection'), page]] : [];
});

const types = await codegen({
  filename: RESOLVER_TYPES,
  schema: parse(typeDefs),
  documents: [],
  pluginMap: { typescript, resolvers },
  // A nullable field may be null, but not left out.
  plugins: [{ typescript: { avoidOptionals: { field: true } } }, { resolvers: {} }],
  config: {
    contextType: '../context.ts#GraphqlContext',
    enumType: 'string-literal',
    enumsAsTypes: true,
    maybeValue: 'T | null | undefined',
    scalars: { DateTime: { input: 'Date', output: 'Date | string' } },
    skipTypename: true,
    useTypeImports: true,
    mappers: {
      User: '../../users/schema.ts#User as UserModel',
      Post: '../../posts/schema.ts#Post as PostModel',
      CreateUsersPayload: '../../features/bulk/resolvers.ts#CreateUsersPayload as CreateUsersPayloadModel',
      ...Object.fromEntries(connections),
    },
  },
});
writeFileSync(RESOLVER_TYPES, `${HEADER}\n\n${types}\n`);
