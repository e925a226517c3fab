import { expect, test } from 'vitest';
import { deprecationHeaders } from '../../lib/rest/deprecation.ts';
import { type Operation, operations } from '../../lib/rest/operations.ts';
import { createPipeline } from '../../lib/rest/pipeline.ts';
import { createRestEvent } from '../setup/event.ts';

const deprecation = {
  since: new Date('2026-07-01T00:00:00Z'),
  sunset: new Date('2027-07-01T00:00:00Z'),
  link: 'https://example.com/moving',
};
const said = {
  deprecation: '@1782864000',
  sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
};
const operation: Operation = { ...operations['get-user'], deprecation };

test('a deprecated operation says since when, until when, and where to go', () => {
  expect(deprecationHeaders(deprecation)).toEqual({
    ...said,
    link: '<https://example.com/moving>; rel="deprecation"; type="text/html"',
  });
});

test('an operation that stays says nothing of it', () => {
  expect(deprecationHeaders(undefined)).toEqual({});
});

test('it is said beside the links that an answer has of its own', async () => {
  const handler = createPipeline(operation).handler(async () => ({
    statusCode: 200,
    headers: { link: '</v1/users?page=2>; rel="next"' },
  }));
  const { headers } = await handler(createRestEvent('GET', '/v1/users', { id: 'x' }), {} as never);
  expect(headers).toMatchObject({
    ...said,
    link: '</v1/users?page=2>; rel="next", <https://example.com/moving>; rel="deprecation"; type="text/html"',
  });
});

test('it is said in refusals, too', async () => {
  const handler = createPipeline(operation).handler(async () => ({ statusCode: 200 }));
  const refused = await handler(
    createRestEvent('GET', '/v1/users', { id: 'x', headers: { accept: 'text/html' } }),
    {} as never,
  );
  expect(refused).toMatchObject({ statusCode: 406, headers: said });
});
