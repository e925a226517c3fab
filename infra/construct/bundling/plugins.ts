import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { parse } from 'graphql';

/** Bundles `contents` in the place of the modules whose path matches. Imports in it are resolved as those of the module. */
export const replaceModule = (name: string, filter: RegExp, contents: string): Plugin => ({
  name,
  setup({ onLoad }) {
    onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
});

/** Bundles the modules whose path matches with some of their text replaced. A text that is not found, as in another version, stays as it is. */
export const replaceText = (name: string, filter: RegExp, replacements: [RegExp, string][]): Plugin => ({
  name,
  setup({ onLoad }) {
    onLoad({ filter }, async ({ path }) => ({
      contents: replacements.reduce((text, [from, to]) => text.replace(from, to), await readFile(path, 'utf8')),
    }));
  },
});

/** Leaves out modules that are imported dynamically, with all that they import. Importing one of them fails: there is no such file. */
export const excludeDynamicImports = (name: string, filter: RegExp, importer: RegExp): Plugin => ({
  name,
  setup({ onResolve }) {
    onResolve({ filter }, ({ path, kind, importer: from }) =>
      kind === 'dynamic-import' && importer.test(from) ? { path: `excluded:${path}`, external: true } : undefined,
    );
  },
});

/**
 * What the service itself imports dynamically is a file that is loaded on first use. Each of these files imports that of the
 * function, so that all which a function loads at first is in one file: esbuild would make a file of each part that the same set of
 * files needs, 24 for graphql, and each costs some tenths of a millisecond.
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

/** Packages that import a module of Node.js when they need it would do so through a small file each. */
export const builtinsWithoutFiles = replaceText(
  'builtins without files',
  /(node-http-handler|invoke-store|getInstanceMetadataRegion)\.js$/,
  [[/\bimport\((['"]node:\w+['"])\)/g, 'process.getBuiltinModule($1)']],
);

/**
 * An ESM import of node:http evaluates every export and so loads undici. getBuiltinModule does not, and loads nothing
 * that is not used. Gain: 15 to 50 ms.
 */
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
 * A bundle has no files beside it to read the schema from. It contains the definitions as JSON, which is read in a tenth of the time
 * that parsing GraphQL takes. Gain: 3 % of a cold start of graphql.
 */
export const parsedSchema: Plugin = {
  name: 'parsed schema',
  setup({ onLoad }) {
    onLoad({ filter: /\/lib\/.*\/resolvers\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes(READ_SCHEMA)) return undefined;
      const document = parse(await readFile(join(path, '../schema.graphql'), 'utf8'), { noLocation: true });
      const text = JSON.stringify(JSON.stringify(document));
      return { contents: source.replace(READ_SCHEMA, () => `JSON.parse(${text})`), loader: 'ts' };
    });
  },
};
