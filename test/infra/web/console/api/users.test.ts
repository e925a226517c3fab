import '../browser-globals.ts';
import { expect, test } from 'vitest';
import { isTooShort } from '../../../../../infra/web/console/api/users.ts';

test.each([
  ['', false],
  ['k', true],
  ['kn', false],
  ['कि', true],
])('%j is too short to search for: %s', (q, expected) => {
  expect(isTooShort(q)).toBe(expected);
});
