import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { excludeDynamicImports, replaceModule } from './plugins.ts';

/*
 * Removes unused parts of Apollo and its Lambda integration. Gains: percent of the CPU time of a cold start of
 * `graphql`, and bytes of its bundle.
 */

/** The CommonJS Lambda integration would bundle Apollo a second time, only for HeaderMap. Gain: 2 %. */
const oneApollo: Plugin = {
  name: 'one Apollo',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@apollo\/server$/ }, async ({ path, kind, resolveDir }) => {
      if (kind !== 'require-call') return undefined;
      const server = await resolve(path, { kind: 'import-statement', resolveDir });
      return { path: join(server.path, '../utils/HeaderMap.js') };
    });
  },
};

/** lib/graphql disables Apollo's reporting plugins, so Apollo never imports them. Gain: 208 kB. */
const noReporting = excludeDynamicImports('no reporting', /^\.\/plugin\//, /@apollo\/server/);

/**
 * Incremental delivery (`@defer`) requires graphql-js 17. Apollo imports `graphql` dynamically for it, so esbuild would
 * keep all of graphql-js. Gain: 4 %, 80 kB.
 */
const noIncrementalDelivery = replaceModule(
  'no incremental delivery',
  /@apollo\/server\/dist\/esm\/incrementalDeliveryPolyfill\.js$/,
  `import { execute } from 'graphql';
   export const executeIncrementally = async ({ useLegacyIncremental, legacyExperimentalExecuteIncrementally, ...args }) => execute(args);`,
);

/**
 * Apollo prints the schema at start to prefix the keys of our document cache. One schema needs no prefix. An explicit
 * export overrides the same name in `export *`.
 */
const noSchemaText: Plugin = {
  name: 'no schema text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^graphql$/ }, ({ path, importer }) =>
      importer.endsWith('@apollo/server/dist/esm/ApolloServer.js') ? { path, namespace: 'no schema text' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'no schema text' }, () => ({
      contents: `export * from 'graphql'; export const printSchema = () => '';`,
      resolveDir: import.meta.dirname,
    }));
  },
};

/** lib/graphql passes another logger than loglevel. Gain: 3 kB. */
const noLogger = replaceModule('no logger', /\/loglevel\/lib\/loglevel\.js$/, 'module.exports = {}');

/** lib/graphql passes a finished schema, so Apollo builds none with graphql-tools. Gain: 3 %, 80 kB. */
const noSchemaTools = replaceModule(
  'no schema tools',
  /@graphql-tools\/schema\/esm\/index\.js$/,
  `export const makeExecutableSchema = () => { throw new Error('Excluded from the bundle: graphql-tools') };`,
);

/** lib/graphql passes its own document cache and disables persisted queries. Gain: 19 kB. */
const noCaches = replaceModule(
  'no caches',
  /@apollo\/utils\.keyvaluecache\/dist\/index\.js$/,
  'export class InMemoryLRUCache {}; export class PrefixingKeyValueCache {}',
);

/** Apollo hashes GraphQL documents with sha.js if `module.require` is missing, as in bundles. Gain: 20 kB. */
const nativeHash: Plugin = {
  name: 'native hash',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^sha\.js$/ }, ({ path }) => ({ path, namespace: 'hash' }));
    onLoad({ filter: /.*/, namespace: 'hash' }, () => ({
      contents: `module.exports = process.getBuiltinModule('node:crypto').createHash`,
    }));
  },
};

export const slimApollo: Plugin[] = [
  oneApollo,
  noReporting,
  noIncrementalDelivery,
  noSchemaTools,
  noSchemaText,
  noLogger,
  noCaches,
  nativeHash,
];
