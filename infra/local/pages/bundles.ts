import { extname, join } from 'node:path';
import { createPage, type Page } from './page.ts';

const BROWSER = join(import.meta.dirname, 'browser');

/** The entry points of each bundle, by the names under which their output is served. */
const ENTRIES = {
  home: { main: join(BROWSER, 'home.ts') },
  docs: { main: join(BROWSER, 'docs.ts') },
  graphiql: {
    main: join(BROWSER, 'graphiql.ts'),
    'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
    'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
    'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
  },
};

type Name = keyof typeof ENTRIES;

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** Bundles are built in memory when their page is first opened, so that the start does not wait for them. */
export function createBundles(): (name: string, file: string) => Promise<Page | undefined> {
  const bundles = new Map<Name, Promise<Map<string, Page>>>();
  return async (name, file) => {
    if (!isName(name)) return undefined;
    const bundle = bundles.get(name) ?? build(name);
    bundles.set(name, bundle);
    return (await bundle).get(file);
  };
}

const isName = (name: string): name is Name => Object.hasOwn(ENTRIES, name);

async function build(name: Name): Promise<Map<string, Page>> {
  const esbuild = await import('esbuild');
  const outdir = join(BROWSER, 'out');
  const { outputFiles } = await esbuild.build({
    entryPoints: ENTRIES[name],
    outdir,
    absWorkingDir: BROWSER,
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.ttf': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return new Map(
    outputFiles.map(({ path, contents }) => [
      path.slice(outdir.length + 1),
      createPage(TYPES[extname(path)] ?? 'application/octet-stream', contents),
    ]),
  );
}
