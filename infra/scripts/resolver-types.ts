import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { parse } from 'graphql';
import typeDefs from '../../lib/graphql/schema/type-defs.ts';

export const RESOLVER_TYPES = 'lib/graphql/schema/resolver-types.ts';

const HEADER = `// Generated from schema.graphql by \`npm run generate\`; a test checks that it is current. Do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
`;

/** The types that the resolvers of schema.graphql must have, as the text of a module. */
export async function generateResolverTypes(): Promise<string> {
  const types = await codegen({
    filename: RESOLVER_TYPES,
    schema: parse(typeDefs),
    documents: [],
    pluginMap: { typescript, resolvers },
    plugins: [{ typescript: {} }, { resolvers: {} }],
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
        UserConnection: './user-connection.ts#UserConnection as UserConnectionModel',
      },
    },
  });
  return `${HEADER}${types}\n`;
}
