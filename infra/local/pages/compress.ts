import { gzipSync } from 'node:zlib';
import type { Page } from './page.ts';

const compressed = new WeakMap<Page, Page>();

/** The page as gzip, made once. */
export function compress(page: Page): Page {
  const known = compressed.get(page);
  if (known) return known;
  const headers = { ...page.headers, 'content-encoding': 'gzip' };
  const result = { ...page, headers, body: gzipSync(page.body) };
  compressed.set(page, result);
  return result;
}
