import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/** Bundles `contents` in the place of the modules whose path matches. Imports in it are resolved as those of the module. */
export const replaceModule = (name: string, filter: RegExp, contents: string): Plugin => ({
  name,
  setup({ onLoad }) {
    onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
});

/** Leaves out modules that are imported dynamically, with all that they import. Importing one of them fails. */
export const excludeDynamicImports = (name: string, filter: RegExp, importer: RegExp): Plugin => ({
  name,
  setup({ onResolve, onLoad }) {
    const namespace = `excluded: ${name}`;
    onResolve({ filter }, ({ path, kind, importer: from }) =>
      kind === 'dynamic-import' && importer.test(from) ? { path, namespace } : undefined,
    );
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `throw new Error('Excluded from the bundle: ${path}')`,
    }));
  },
});
