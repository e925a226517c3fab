import { expect, test } from 'vitest';
import { findMissingPosts } from '../../../infra/transfer/missing-posts.ts';

const AT = '2026-01-01T00:00:00.000Z';

test('a post with the same title and time of publication is not missing', () => {
  expect(findMissingPosts([{ title: 'One', publishedAt: AT }], [{ title: 'One', publishedAt: AT }])).toEqual([]);
});

test('a post without publishedAt equals one with null', () => {
  expect(findMissingPosts([{ title: 'One' }], [{ title: 'One', publishedAt: null }])).toEqual([]);
});

test.each([
  ['title', { title: 'Two', publishedAt: AT }],
  ['time of publication', { title: 'One', publishedAt: null }],
])('a post with another %s is missing', (_, post) => {
  expect(findMissingPosts([post], [{ title: 'One', publishedAt: AT }])).toEqual([post]);
});

test('an existing post matches one post only', () => {
  const [one, two] = [{ title: 'One' }, { title: 'Two' }];
  expect(findMissingPosts([one, two, one, two, one], [one, two, two])).toEqual([one, one]);
});

test('a missing post does not use up an existing one', () => {
  const [one, two] = [{ title: 'One' }, { title: 'Two' }];
  expect(findMissingPosts([two, one], [one])).toEqual([two]);
});
