import { expect, test } from 'vitest';
import { isWritten } from '../../../lib/client/lost-answer.ts';
import type { Transport } from '../../../lib/client/transport.ts';

/** Fails every request: `isWritten` may only ask the service for a cleared field's default. */
const transport = { execute: () => Promise.reject(new Error('asked')) } as unknown as Transport;
const isStored = (stored: unknown, sent: unknown) =>
  isWritten({ field: stored }, { field: sent }, 'https://users.example.com/graphql', transport, undefined);

test.each([
  ['JSON with an odd number and an empty key', { '': [5e-324, { a: null }] }, { '': [5e-324, { a: null }] }],
  ['members in another order', { a: 1, b: [2] }, { b: [2], a: 1 }],
  ['a text with line breaks of Windows', 'one\ntwo', ' one\r\ntwo\n'],
])('%s counts as the sent value', async (_, stored, sent) => {
  expect(await isStored(stored, sent)).toBe(true);
});

test.each([
  ['an object with one member more', { a: 1, b: 2 }, { a: 1 }],
  ['an object with one member less', { a: 1 }, { a: 1, b: 2 }],
  ['null in place of a missing member', {}, { a: null }],
  ['a list with one item more', [1, 2], [1]],
  ['a list with one item less', [1], [1, 2]],
  ['another nested value', { a: { b: 1 } }, { a: { b: 2 } }],
  ['a list in place of an object', [], {}],
  ['a number in place of its text', 1, '1'],
  ['a text in place of an object', 'text', { a: 1 }],
])('%s does not count as the sent value', async (_, stored, sent) => {
  expect(await isStored(stored, sent)).toBe(false);
});
