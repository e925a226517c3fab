import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type BundleName, createBuildOptions, ROOT } from './entries.ts';

type Files = Map<string, Uint8Array>;

/** `inputs` are paths below the root of the repository. */
type Bundle = { files: Files; inputs: string[] };

/** `hashes` are those of the inputs, by their paths. */
type CachedBundle = { files: Files; hashes: Map<string, string> };

const CACHE = join(ROOT, 'node_modules/.cache/pages');

/** What decides about every bundle besides the sources that esbuild reads. Packages change with the lock file. */
const COMMON_INPUTS = [
  'package-lock.json',
  ...['build', 'entries', 'scalar'].map((name) => `infra/local/pages/${name}.ts`),
];

/** The files of a bundle by their names, from the cache unless a source or a package has changed. */
export async function build(name: BundleName): Promise<Files> {
  const cached = await readCached(name).catch(() => undefined);
  if (cached) return cached;
  const startedAt = Date.now();
  const bundle = await createBundle(name);
  // Pages work without a cache, such as in a read-only folder.
  await store(name, bundle, startedAt).catch(() => {});
  return bundle.files;
}

/** Scalar comes as a whole that needs no bundling. */
export async function createBundle(name: BundleName): Promise<Bundle> {
  const esbuild = await import('esbuild');
  const outdir = join(CACHE, 'out');
  const { outputFiles, metafile } = await esbuild.build(createBuildOptions(name, outdir));
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(outdir.length + 1), contents]));
  if (name === 'docs') files.set('scalar.js', await (await import('./scalar.ts')).readScalar());
  const sources = Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/'));
  return { files, inputs: [...COMMON_INPUTS, ...sources] };
}

async function readCached(name: BundleName): Promise<Files | undefined> {
  // As `store` has written it.
  const { files, hashes } = deserialize(await readFile(join(CACHE, name))) as CachedBundle;
  for (const [path, hash] of hashes) if (hash !== (await hashFile(path))) return undefined;
  return files;
}

async function store(name: BundleName, { files, inputs }: Bundle, startedAt: number): Promise<void> {
  const hashes: CachedBundle['hashes'] = new Map();
  for (const path of inputs) {
    // Saved while esbuild ran, which may have read what was there before.
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
