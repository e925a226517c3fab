import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleName, createBuildOptions, sourceFolders } from './entries.ts';

type Files = Map<string, Uint8Array>;

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/pages');

/** The files of a bundle by their names, from the cache unless a source or a package has changed. */
export async function build(name: BundleName): Promise<Files> {
  const folder = join(CACHE, `${name}-${await hashSources()}`);
  const cached = await readFiles(folder).catch(() => undefined);
  if (cached) return cached;
  const files = await bundle(name);
  // Pages work without a cache, such as in a read-only folder.
  await store(name, folder, files).catch(() => {});
  return files;
}

/** Scalar comes as a whole that needs no bundling. */
async function bundle(name: BundleName): Promise<Files> {
  const esbuild = await import('esbuild');
  const outdir = join(CACHE, 'out');
  const { outputFiles } = await esbuild.build(createBuildOptions(name, outdir));
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(outdir.length + 1), contents]));
  if (name === 'docs') files.set('scalar.js', await (await import('./scalar.ts')).readScalar());
  return files;
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  hash.update(await readFile(join(import.meta.dirname, 'entries.ts')));
  for (const folder of sourceFolders) {
    const paths = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = paths.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    for (const file of files.toSorted()) hash.update(file).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

async function readFiles(folder: string): Promise<Files> {
  const names = await readdir(folder);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

/** Replaces older builds. A folder appears under its name only when it is complete. */
async function store(name: BundleName, folder: string, files: Files): Promise<void> {
  const incomplete = `${folder}.${process.pid}`;
  await mkdir(incomplete, { recursive: true });
  for (const [file, contents] of files) await writeFile(join(incomplete, file), contents);
  const older = (await readdir(CACHE)).filter((each) => each.startsWith(`${name}-`) && !each.includes('.'));
  await Promise.all(older.map((each) => rm(join(CACHE, each), { recursive: true })));
  await rename(incomplete, folder).catch(() => rm(incomplete, { recursive: true }));
}
