import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import * as resolvers from '@graphql-codegen/typescript-resolvers';
import { buildSchema, getNamedType, isObjectType, parse, Source } from 'graphql';

/** Not in git: `npm ci` and the type check write generated files. */
const RESOLVER_TYPES = 'lib/graphql/schema/resolver-types.ts';

/** Excludes lib/client, a separate package with its own types. */
const DOCUMENT_TYPES = {
  'infra/transfer/document-types.ts': ['infra/transfer/*.ts'],
};

/** Read from files, because modules that load the schema import the types generated here. */
const typeDefs = globSync('lib/**/schema.graphql')
  .toSorted()
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

const HEADER = '// Generated from the files schema.graphql by `npm run generate`.';

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
  // A resolver must return null explicitly.
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
      User: '../../users/user.ts#User as UserModel',
      Post: '../../posts/post.ts#Post as PostModel',
      Group: '../../features/groups/group.ts#Group as GroupModel',
      ...Object.fromEntries(connections),
      // Types of features would import the types generated here.
      UserHistoryConnection: "Connection<ResolversParentTypes['UserHistoryEntry']> & { id: string }",
    },
  },
});
writeFileSync(RESOLVER_TYPES, `${HEADER}\n\n${types}\n`);

const DOCUMENT = /`((?:query|mutation|subscription|fragment) (?:(?!\$\{)[^`])+)`/g;

for (const [filename, sources] of Object.entries(DOCUMENT_TYPES)) {
  const documents = globSync(sources)
    .toSorted()
    .flatMap((location) =>
      Array.from(readFileSync(location, 'utf8').matchAll(DOCUMENT), ([, text = '']) => ({
        location,
        document: parse(new Source(text, location)),
      })),
    );
  if (documents.length === 0) continue;
  const types = await codegen({
    filename,
    schema: parse(typeDefs),
    documents,
    pluginMap: { operations },
    plugins: [{ operations: {} }],
    config: {
      enumType: 'string-literal',
      scalars: { DateTime: 'string', ID: 'string' },
      skipTypename: true,
      useTypeImports: true,
    },
  });
  writeFileSync(filename, `// Generated from the documents beside it by \`npm run generate\`.\n\n${types}\n`);
}
