import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { parse } from 'graphql';

/** Imports in `contents` resolve from the folder of the replaced module. */
export const replaceModule = (name: string, filter: RegExp, contents: string): Plugin => ({
  name,
  setup({ onLoad }) {
    onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
});

/** Does nothing if a package version lacks the text. */
export const replaceText = (name: string, filter: RegExp, replacements: [RegExp, string][]): Plugin => ({
  name,
  setup({ onLoad }) {
    onLoad({ filter }, async ({ path }) => ({
      contents: replacements.reduce((text, [from, to]) => text.replace(from, to), await readFile(path, 'utf8')),
    }));
  },
});

/** Excludes dynamic imports from the bundle. If code reaches one at runtime, the import fails. */
export const excludeDynamicImports = (name: string, filter: RegExp, importer: RegExp): Plugin => ({
  name,
  setup({ onResolve }) {
    onResolve({ filter }, ({ path, kind, importer: from }) =>
      kind === 'dynamic-import' && importer.test(from) ? { path: `excluded:${path}`, external: true } : undefined,
    );
  },
});

/**
 * Bundles each dynamic import as a file that imports the function's main file. The splitting of esbuild gives `graphql`
 * 24 files of shared code, and loading each takes tenths of a millisecond.
 */
export const loadOnFirstUse = (entry: string): Plugin => ({
  name: 'load on first use',
  setup({ onResolve, onLoad }) {
    const namespace = 'first use';
    onResolve({ filter: /^\./, namespace: 'file' }, ({ path, kind, importer, resolveDir }) =>
      kind === 'dynamic-import' && !importer.includes('node_modules')
        ? { path: join(resolveDir, path), namespace }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `import ${JSON.stringify(entry)}; export * from ${JSON.stringify(path)};`,
      resolveDir: dirname(path),
    }));
  },
});

/** esbuild would create a separate file for each dynamic import of a Node.js module. */
export const builtinsWithoutFiles = replaceText(
  'builtins without files',
  /(node-http-handler|invoke-store|getInstanceMetadataRegion)\.js$/,
  [[/\bimport\((['"]node:\w+['"])\)/g, 'process.getBuiltinModule($1)']],
);

/** An ESM import of `node:http` evaluates all exports, and thereby loads undici. Gain: 15 to 50 ms. */
export const lazyBuiltins: Plugin = {
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

const READ_SCHEMA = "parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true })";

/**
 * Bundles do not contain the schema files, and parsing JSON takes a tenth of the time of parsing GraphQL. Gain: 3 % of
 * a cold start of `graphql`.
 */
export const parsedSchema: Plugin = {
  name: 'parsed schema',
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/.*\/resolvers\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes("'schema.graphql'")) return undefined;
      if (!source.includes(READ_SCHEMA)) throw new Error(`${path} must read its schema by: ${READ_SCHEMA}`);
      const document = parse(await readFile(join(path, '../schema.graphql'), 'utf8'), { noLocation: true });
      const text = JSON.stringify(JSON.stringify(document));
      return { contents: source.replace(READ_SCHEMA, () => `JSON.parse(${text})`), loader: 'ts' };
    });
  },
};
