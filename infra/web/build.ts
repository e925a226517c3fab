import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { createHtml } from './pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/pages');
const COLOR_SCHEME = 'infra/web/color-scheme.ts';

/** Each bundle has entry points, whose output is served under these names. */
const entries = {
  console: { main: 'infra/web/console/main.tsx', 'color-scheme': 'infra/web/console/color-scheme.ts' },
  docs: { main: 'infra/web/reference/reference.tsx', 'color-scheme': COLOR_SCHEME },
  graphiql: { main: 'infra/web/graphiql/main.ts', 'color-scheme': COLOR_SCHEME },
};

export type BundleName = keyof typeof entries;

type Files = Map<string, Uint8Array>;

/** `inputs` are paths below the root of the repository. */
type Bundle = { files: Files; inputs: string[] };

/** `hashes` are those of the inputs, by their paths. */
type CachedBundle = { files: Files; hashes: Map<string, string> };

/** These decide about every bundle, besides the sources that esbuild reads. Packages change with the lock file. */
const COMMON_INPUTS = ['package-lock.json', 'infra/web/build.ts', 'infra/web/logo.ts', 'infra/web/pages.ts'];

export const isBundleName = (name: string): name is BundleName => Object.hasOwn(entries, name);

/** Returns the files of a bundle by their names, with its page as `index.html`, from the cache unless a source or a package has changed. */
export async function build(name: BundleName): Promise<Files> {
  const cached = await readCached(name).catch(() => undefined);
  if (cached) return cached;
  const startedAt = Date.now();
  const bundle = await createBundle(name);
  // Pages work without a cache, such as in a read-only folder.
  await store(name, bundle, startedAt).catch(() => {});
  return bundle.files;
}

export async function createBundle(name: BundleName): Promise<Bundle & { metafile: Metafile }> {
  const esbuild = await import('esbuild');
  const outdir = join(CACHE, 'out');
  const { outputFiles, metafile } = await esbuild.build(createBuildOptions(name, outdir));
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(outdir.length + 1), contents]));
  files.set('index.html', new TextEncoder().encode(createHtml(name, listModules(metafile))));
  const sources = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'));
  return { files, inputs: [...COMMON_INPUTS, ...sources], metafile };
}

/** Lists the modules that the main script imports, and those that they import. */
function listModules({ outputs }: Metafile): string[] {
  const modules = Object.keys(outputs).filter((path) => basename(path) === 'main.js');
  for (const path of modules)
    for (const { path: imported, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !modules.includes(imported)) modules.push(imported);
  return modules.slice(1).map((path) => basename(path));
}

const BROWSER_MODULES = 'infra/web/browser-modules.ts';

/** The domain's validation takes these from Node.js: modules, and a global, which becomes an import here. */
const browserModules: Plugin = {
  name: 'browser-modules',
  setup(build) {
    const path = join(ROOT, BROWSER_MODULES);
    build.onResolve({ filter: /^node:(url|buffer)$|\/environment\.ts$/ }, () => ({ path }));
    build.onLoad({ filter: /[\\/]lib[\\/].*\.ts$/ }, async ({ path: source }) => {
      const text = await readFile(source, 'utf8');
      if (!text.includes('Buffer.')) return undefined;
      return { contents: `import { Buffer } from ${JSON.stringify(path)};\n${text}`, loader: 'ts' };
    });
  },
};

/**
 * Chromium compiles all functions of the modules while it loads them, in another thread, instead of each when it is first
 * called (https://v8.dev/blog/explicit-compile-hints). This halves the time that the console's first view blocks the page.
 */
const COMPILE_AT_ONCE = '//# allFunctionsCalledOnLoad';

const createBuildOptions = (name: BundleName, outdir: string) =>
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
    plugins: [browserModules, directImports, systemFonts],
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: COMPILE_AT_ONCE },
    // Licenses are in separate files, which the pages do not load.
    legalComments: 'linked',
    logLevel: 'silent',
  }) satisfies BuildOptions;

/** An index that imports all modules of its package would put each of them into what a page loads first. */
const INDEXED = { '@mantine/core': 'esm/index.mjs', '@mantine/hooks': 'esm/index.mjs' };

/** Replaces imports from such an index by those of the modules that have the names. */
const directImports: Plugin = {
  name: 'direct-imports',
  setup({ onLoad }) {
    onLoad({ filter: /infra\/web\/console\/.*\.tsx?$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [name, index] of Object.entries(INDEXED)) contents = await importDirectly(contents, name, index);
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** The style of GraphiQL contains 260 kB of fonts. The pages use those of the system. */
const systemFonts: Plugin = {
  name: 'system-fonts',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/graphiql\/.*\.css$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(/@font-face\s*\{[^}]*\}/g, ''),
      loader: 'css',
    }));
  },
};

async function importDirectly(source: string, name: string, index: string): Promise<string> {
  const modules = await readIndex(name, index);
  return source.replace(new RegExp(`^import \\{([^}]*)\\} from '${name}';`, 'gm'), (_, names: string) =>
    names
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '' && !each.startsWith('type '))
      .map((each) => `import { ${each} } from ${JSON.stringify(modules.get(each) ?? name)};`)
      .join(' '),
  );
}

/** Returns the file of each name that an index exports. */
async function readIndex(name: string, index: string): Promise<Map<string, string>> {
  const folder = join(ROOT, 'node_modules', name, dirname(index));
  const text = await readFile(join(folder, index.replace(/.*\//, '')), 'utf8');
  return new Map(
    [...text.matchAll(/^import \{([^}]*)\} from "([^"]+)";/gm)].flatMap(([, names = '', file = '']) =>
      names.split(',').map((each) => [each.trim(), join(folder, file)] as const),
    ),
  );
}

async function readCached(name: BundleName): Promise<Files | undefined> {
  // The type is that of what `store` has written.
  const { files, hashes } = deserialize(await readFile(join(CACHE, name))) as CachedBundle;
  for (const [path, hash] of hashes) if (hash !== (await hashFile(path))) return undefined;
  return files;
}

async function store(name: BundleName, { files, inputs }: Bundle, startedAt: number): Promise<void> {
  const hashes: CachedBundle['hashes'] = new Map();
  for (const path of inputs) {
    // If a source was saved while esbuild ran, esbuild may have read its text from before.
    if ((await stat(join(ROOT, path))).mtimeMs >= startedAt) return;
    hashes.set(path, await hashFile(path));
  }
  const cached: CachedBundle = { files, hashes };
  const incomplete = join(CACHE, `${name}.${process.pid}`);
  await mkdir(CACHE, { recursive: true });
  await writeFile(incomplete, serialize(cached));
  await rename(incomplete, join(CACHE, name));
}

const hashFile = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(ROOT, path)))
    .digest('hex');

/** Writes what the console's bucket holds, except its settings: the build that the local service serves. */
export async function writeConsoleFiles(folder: string): Promise<void> {
  const write = async (path: string, content: string | Uint8Array) => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  for (const [name, contents] of await build('console'))
    await write(name === 'index.html' ? name : `pages/console/${name}`, contents);
}
