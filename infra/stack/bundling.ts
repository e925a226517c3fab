import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { stripIgnoredCharacters } from 'graphql';

const ROOT = join(import.meta.dirname, '../..');

/** An ESM import of node:http evaluates every export and so loads undici (15 to 50 ms cold). getBuiltinModule does not. */
const lazyBuiltins: Plugin = {
  name: 'lazy builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z:/_]+$/ }, ({ path }) =>
      isBuiltin(path) ? { path, namespace: 'builtin', sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }));
  },
};

/** The Lambda integration is CommonJS and would bundle a second copy of Apollo. */
const oneApollo: Plugin = {
  name: 'one Apollo',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^@apollo\/server(\/|$)/ }, ({ path, kind, resolveDir }) =>
      kind === 'require-call' ? resolve(path, { kind: 'import-statement', resolveDir }) : undefined,
    );
  },
};

/** Apollo imports these plugins at start unless they are disabled, as they are in lib/graphql. */
const noReporting: Plugin = {
  name: 'no reporting',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/plugin\// }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && importer.includes('@apollo') ? { path, namespace: 'disabled' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'disabled' }, ({ path }) => ({
      contents: `throw new Error('Excluded from the bundle: ${path}')`,
    }));
  },
};

/** Apollo hashes each document with sha.js unless it finds `module.require`, which a bundle does not have. */
const nativeHash: Plugin = {
  name: 'native hash',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^sha\.js$/ }, ({ path }) => ({ path, namespace: 'hash' }));
    onLoad({ filter: /.*/, namespace: 'hash' }, () => ({
      contents: `module.exports = process.getBuiltinModule('node:crypto').createHash`,
    }));
  },
};

/** Lambda provides credentials in environment variables; the other providers of the chain are never used. */
const environmentCredentials: Plugin = {
  name: 'environment credentials',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'credentials',
      pluginData: resolveDir,
    }));
    onLoad({ filter: /.*/, namespace: 'credentials' }, ({ pluginData: resolveDir }) => ({
      contents: `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env'`,
      resolveDir,
    }));
  },
};

/** A bundle has no file beside it to read the schema from, so it contains the text. */
const schemaAsText: Plugin = {
  name: 'schema as text',
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/graphql\/schema\/type-defs\.ts$/ }, async ({ path }) => ({
      contents: stripIgnoredCharacters(await readFile(join(path, '../schema.graphql'), 'utf8')),
      loader: 'text',
    }));
  },
};

/**
 * Bundles each function into `<folder>/<name>/<name>.mjs`, which exports `handler`. The source map beside it is deployed,
 * too, for infra/scripts/map-stack.ts; without a comment that names it, Node does not load it.
 */
export async function bundle(names: readonly string[], folder: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/${name}` })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [lazyBuiltins, oneApollo, noReporting, nativeHash, schemaAsText, environmentCredentials],
  });
  return metafile;
}
