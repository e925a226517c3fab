import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findAnchors, findLinks, findMarkdownFiles } from './setup/markdown.ts';

function resolves(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path ? join(dirname(file), path) : file;
  if (!existsSync(target)) return false;
  if (!anchor) return true;
  const page = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  return findAnchors(readFileSync(page, 'utf8')).includes(anchor);
}

test.each(findMarkdownFiles())('the relative links of %s resolve', (file) => {
  const links = findLinks(readFileSync(file, 'utf8'));
  expect(links.filter((link) => !resolves(file, link))).toEqual([]);
});

test.each(findMarkdownFiles())('the paths that %s names exist', (file) => {
  const paths = [...readFileSync(file, 'utf8').matchAll(/`((?:functions|infra|lib|test)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});
