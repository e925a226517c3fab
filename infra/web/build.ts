import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/pages');

const pageNames = ['console', 'graphiql', 'reference'] as const;

export type PageName = (typeof pageNames)[number];

export const isPageName = (name: string): name is PageName => pageNames.some((each) => each === name);

/** Contents by path in the page's folder, such as `assets/index-CkOr1aF7.js`. */
export type Files = Map<string, Uint8Array>;

export type Build = {
  files: Files;
  /** Relative to the repository's root. */
  inputs: string[];
  modules: string[];
  chunks: { fileName: string; imports: string[]; moduleIds: string[] }[];
};

type CachedBuild = { files: Files; hashes: Map<string, string> };

/** Files with a hash in their name can be cached forever. */
export const isHashed = (file: string): boolean => file.startsWith('assets/');

export async function build(page: PageName): Promise<Files> {
  const cached = await readCached(page).catch(() => undefined);
  if (cached) return cached;
  const startedAt = Date.now();
  const built = await buildPage(page);
  // Ignores errors, because the cache is optional: its folder may be read-only.
  await store(page, built, startedAt).catch(() => {});
  return built.files;
}

/** Builds in a worker thread, because Vite sets global variables and keeps memory. */
export async function buildPage(page: PageName): Promise<Build> {
  // Sets NODE_ENV, because the environment could select the development version of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  const worker = new Worker(join(import.meta.dirname, 'build-worker.ts'), { workerData: page, env });
  // Cast: the only message of the worker is the build.
  const [built] = (await once(worker, 'message')) as [Build];
  return built;
}

async function readCached(page: PageName): Promise<Files | undefined> {
  // Cast: `store` wrote this file.
  const { files, hashes } = deserialize(await readFile(join(CACHE, page))) as CachedBuild;
  for (const [path, hash] of hashes) if (hash !== (await hashFile(path))) return undefined;
  return files;
}

async function store(page: PageName, { files, inputs }: Build, startedAt: number): Promise<void> {
  const hashes: CachedBuild['hashes'] = new Map();
  for (const path of inputs) {
    // Stores nothing, because Vite may have read the file before it was saved.
    if ((await stat(join(ROOT, path))).mtimeMs >= startedAt) return;
    hashes.set(path, await hashFile(path));
  }
  const cached: CachedBuild = { files, hashes };
  const incomplete = join(CACHE, `${page}.${process.pid}`);
  await mkdir(CACHE, { recursive: true });
  await writeFile(incomplete, serialize(cached));
  await rename(incomplete, join(CACHE, page));
}

const hashFile = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(ROOT, path)))
    .digest('hex');

/** `Site` adds the files that depend on the deployment. */
export async function writeSiteFiles(folder: string): Promise<void> {
  for (const page of ['console', 'reference'] as const)
    for (const [name, contents] of await build(page)) {
      const isRoot = page === 'console' && name === 'index.html';
      const file = join(folder, isRoot ? name : `pages/${page}/${name}`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, contents);
    }
}
