import { afterAll, expect, test } from 'vitest';
import type { Operation } from '../../../lib/rest/operation.ts';
import { operations } from '../../../lib/rest/operations.ts';
import { renderHeaders } from '../../../lib/rest/responses.ts';
import { bare, enveloped } from './client.ts';

const deprecation = {
  since: new Date('2026-07-01T00:00:00Z'),
  sunset: new Date('2027-07-01T00:00:00Z'),
  link: 'https://example.com/migration',
};
const dates = { deprecation: '@1782864000', sunset: 'Thu, 01 Jul 2027 00:00:00 GMT' };
const link = '<https://example.com/migration>; rel="deprecation"; type="text/html"';

const listUsers: Operation = operations['list-users'];
listUsers.deprecation = deprecation;
afterAll(() => {
  delete listUsers.deprecation;
});

test('a response of a deprecated operation has the dates and the link', async () => {
  expect((await enveloped.list()).headers).toMatchObject({ ...dates, link });
});

test('an error response of a deprecated operation has the dates and the link, too', async () => {
  const response = await enveloped.list({}, { accept: 'text/html' });
  expect(response).toMatchObject({ status: 406, headers: { ...dates, link } });
});

test('the link to the replacement follows the links to pages', async () => {
  const { headers } = await bare.list();
  const page = '</v1/users?page=1&limit=100>';
  expect(headers.link).toBe(`${page}; rel="first", ${page}; rel="last", ${link}`);
});

test('an operation that is not deprecated sends none of the headers', async () => {
  expect((await enveloped.get('x')).headers).not.toMatchObject({ deprecation: expect.anything() });
  expect(renderHeaders({})).toEqual({});
});
