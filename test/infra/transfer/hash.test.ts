import { expect, test } from 'vitest';
import { formatHash } from '../../../infra/transfer/hash.ts';

test('no two of many similar texts have the same hash', () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => [`user${at}@example.org`, `user.${at}@example.org`, `${at}`]);
  expect(new Set(texts.flat().map(formatHash)).size).toBe(30_000);
});

test('the order of characters, and zeros at the end, make another hash', () => {
  const texts = ['', '\0', '\0\0', 'ab', 'ba', 'ab\0', 'a', 'é', 'e\u0301', '\ud83d', '😀'];
  expect(new Set(texts.map(formatHash)).size).toBe(texts.length);
  expect(texts.map(formatHash)).toEqual(texts.map(() => expect.stringMatching(/^[0-9a-f]{16}$/)));
});
