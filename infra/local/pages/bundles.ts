import { extname } from 'node:path';
import { build } from './build.ts';
import { type BundleName, isBundleName } from './entries.ts';
import { createPage, type Page } from './page.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** Bundles are built when their page is first opened, so that the start does not wait for them. */
export function createBundles(): (name: string, file: string) => Promise<Page | undefined> {
  const bundles = new Map<BundleName, Promise<Map<string, Page>>>();
  return async (name, file) => {
    if (!isBundleName(name)) return undefined;
    const bundle = bundles.get(name) ?? load(name);
    bundles.set(name, bundle);
    return (await bundle).get(file);
  };
}

async function load(name: BundleName): Promise<Map<string, Page>> {
  const files = await build(name);
  return new Map(
    [...files].map(([file, contents]) => [
      file,
      createPage(TYPES[extname(file)] ?? 'application/octet-stream', contents),
    ]),
  );
}
