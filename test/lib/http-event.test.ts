import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createLambdaEvent } from '../../lib/http-event.ts';
import { MAX_LINEAR_GROWTH, measureGrowth } from '../setup/cpu-growth.ts';

/** The cast is safe, because createLambdaEvent reads only these members. */
const newRequest = (url: string) =>
  ({ method: 'GET', url, httpVersion: '1.1', headersDistinct: {}, socket: {} }) as IncomingMessage;
const readQuery = (query: string) =>
  createLambdaEvent(newRequest(`/graphql?${query}`), Buffer.alloc(0), { routeKey: '$default', rawPath: '/graphql' })
    .queryStringParameters;

test('repeated parameters are joined by commas, even with names of object members', () => {
  expect(readQuery('a=1&b=2&a=3&a')).toEqual({ a: '1,3,', b: '2' });
  expect(Object.entries(readQuery('__proto__=1&__proto__=2&toString=3') ?? {})).toEqual([
    ['__proto__', '1,2'],
    ['toString', '3'],
  ]);
  expect(readQuery('')).toBeUndefined();
});

test('reading a query string takes linear time', () => {
  const distinct = (names: number) => readQuery(Array.from({ length: names }, (_, at) => at.toString(36)).join('&'));
  expect(measureGrowth(distinct, 1_000)).toBeLessThan(MAX_LINEAR_GROWTH);
  const repeated = (names: number) => readQuery('a=b&'.repeat(names));
  expect(measureGrowth(repeated, 1_000)).toBeLessThan(MAX_LINEAR_GROWTH);
});
