import { expect, test } from 'vitest';
import { createClientPages, createPages } from '../../../infra/package/pages.ts';
import { findAnchors, findLinks } from '../../setup/markdown.ts';

test.each([
  ['the construct', createPages()],
  ['the client', createClientPages()],
])('the links of the pages of %s lead to pages and headings of the package', (_, pages) => {
  const targets = pages.flatMap(({ name, text }) => [name, ...findAnchors(text).map((anchor) => `${name}#${anchor}`)]);
  const links = pages.flatMap(({ name, text }) =>
    findLinks(text).map((link) => (link.startsWith('#') ? `${name}${link}` : link)),
  );
  expect(links.filter((link) => !targets.includes(link) && link !== 'resources.sh')).toEqual([]);
});

test('a link to a page outside the package is plain text', () => {
  const texts = [...createPages(), ...createClientPages()].map(({ text }) => text).join('');
  expect(texts).toContain('Find users by the beginnings of words, and one by address:');
  expect(texts).toContain('[Rotate it](events.md#signed-webhooks)');
});
