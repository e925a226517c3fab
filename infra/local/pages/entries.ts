import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';

export const ROOT = join(import.meta.dirname, '../../..');
const BROWSER = join(import.meta.dirname, 'browser');
const CONSOLE = join(import.meta.dirname, '../../console');
const COLOR_SCHEME = join(BROWSER, 'color-scheme.ts');

/** The entry points of each bundle, by the names under which their output is served. */
export const entries = {
  console: { main: join(CONSOLE, 'main.tsx'), 'color-scheme': join(CONSOLE, 'color-scheme.ts') },
  docs: { main: join(BROWSER, 'docs.ts'), 'color-scheme': COLOR_SCHEME },
  graphiql: { main: join(BROWSER, 'graphiql.tsx'), 'color-scheme': COLOR_SCHEME },
};

export type BundleName = keyof typeof entries;

export const isBundleName = (name: string): name is BundleName => Object.hasOwn(entries, name);

export const createBuildOptions = (name: BundleName, outdir: string) =>
  ({
    entryPoints: entries[name],
    outdir,
    absWorkingDir: ROOT,
    // Otherwise esbuild would read files that the metafile does not name.
    tsconfigRaw: '{}',
    metafile: true,
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    loader: { '.ttf': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  }) satisfies BuildOptions;
