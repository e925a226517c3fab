import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { excludeDynamicImports, replaceModule } from './plugins.ts';

/*
 * These plugins leave out what Apollo and its Lambda integration load and the functions do not use. Gains are CPU time of a cold start of
 * graphql, as parts of what it took before.
 */

/**
 * The Lambda integration is CommonJS and would bundle a second copy of Apollo. It uses only this class, and requiring more
 * would make esbuild keep and wrap all of Apollo. Gain: 2 %.
 */
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

/** Apollo imports these plugins at start unless they are disabled, as they are in lib/graphql. Gain: 208 kB. */
const noReporting = excludeDynamicImports('no reporting', /^\.\/plugin\//, /@apollo\/server/);

/**
 * Only graphql-js 17 has it. Because Apollo imports graphql dynamically to look for it, esbuild keeps all of graphql-js, used
 * or not.
 * Gain: 4 %, 80 kB.
 */
const noIncrementalDelivery = replaceModule(
  'no incremental delivery',
  /@apollo\/server\/dist\/esm\/incrementalDeliveryPolyfill\.js$/,
  `import { execute } from 'graphql';
   export const executeIncrementally = async ({ useLegacyIncremental, legacyExperimentalExecuteIncrementally, ...args }) => execute(args);`,
);

/**
 * Apollo prints the whole schema at start, for a prefix of the keys in our cache of documents. No other schema has keys there. An
 * export of a module shadows those that it exports again.
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

/** Apollo makes a logger of it unless it is given one, as it is in lib/graphql. Gain: 3 kB. */
const noLogger = replaceModule('no logger', /\/loglevel\/lib\/loglevel\.js$/, 'module.exports = {}');

/** Apollo is given a schema and does not have to make one. Gain: 3 %, 80 kB. */
const noSchemaTools = replaceModule(
  'no schema tools',
  /@graphql-tools\/schema\/esm\/index\.js$/,
  `export const makeExecutableSchema = () => { throw new Error('Excluded from the bundle: graphql-tools') };`,
);

/** Apollo is given a cache of documents, and caches no persisted queries. Gain: 19 kB. */
const noCaches = replaceModule(
  'no caches',
  /@apollo\/utils\.keyvaluecache\/dist\/index\.js$/,
  'export class InMemoryLRUCache {}; export class PrefixingKeyValueCache {}',
);

/** Apollo hashes each document with sha.js unless it finds `module.require`, which a bundle does not have. Gain: 20 kB. */
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
