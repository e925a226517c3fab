import { extname } from 'node:path';
import { build as buildBundle } from './build.ts';
import { type BundleName, isBundleName } from './entries.ts';
import { createPage, type Page } from './page.ts';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/** Bundles are built when their page is first opened, so that the start does not wait for them. */
export function createBundles(build = buildBundle): (name: string, file: string) => Promise<Page | undefined> {
  const load = async (name: BundleName): Promise<Map<string, Page>> => {
    const files = await build(name);
    return new Map(
      [...files].map(([file, contents]) => [
        file,
        createPage(TYPES[extname(file)] ?? 'application/octet-stream', contents),
      ]),
    );
  };
  const bundles = new Map<BundleName, Promise<Map<string, Page>>>();
  const loadOnce = (name: BundleName) => {
    const bundle = load(name);
    bundles.set(name, bundle);
    // The next request builds it again.
    bundle.catch(() => bundles.delete(name));
    return bundle;
  };
  return async (name, file) => {
    if (!isBundleName(name)) return undefined;
    const bundle = await (bundles.get(name) ?? loadOnce(name));
    return bundle.get(file);
  };
}
