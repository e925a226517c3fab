import { describe, expect, test } from 'vitest';
import { handler as getUser } from '../../../functions/get-user.ts';
import { handler as listUsers } from '../../../functions/list-users.ts';
import { createContext } from '../../../infra/local/runtime.ts';
import { allOperations, operations, routes } from '../../../lib/rest/operations.ts';
import { findAllowed, listRouteMethods } from '../../../lib/rest/requests.ts';
import { createRestEvent, type RequestOptions } from '../../setup/event.ts';
import { clients, UNKNOWN_ID } from './client.ts';

const send = (method: string, path: string, options: RequestOptions = {}) =>
  (options.id === undefined ? listUsers : getUser)(createRestEvent(method, path, options), createContext());

describe.each(clients)('$path', ({ path, newUser, get, list }) => {
  // The gateway computes Content-Length from the body, then drops the body (RFC 9110 section 9.3.2).
  test('HEAD returns the headers of GET without the body', async () => {
    const { id } = await newUser();
    const [one, all] = [await get(id), await list()];
    expect(await send('HEAD', path, { id })).toEqual({ statusCode: 200, headers: one.headers, body: one.text });
    expect(await send('HEAD', path)).toEqual({ statusCode: 200, headers: all.headers, body: all.text });
    expect(await send('HEAD', path, { id: UNKNOWN_ID })).toMatchObject({ statusCode: 404 });
    expect(await send('HEAD', path, { id, headers: { 'if-none-match': '"1"' } })).toMatchObject({ statusCode: 304 });
  });

  test.each([
    ['the list', {}, ['PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'], 'GET, HEAD, POST, PUT'],
    ['one user', { id: UNKNOWN_ID }, ['POST', 'OPTIONS', 'TRACE', 'PROPFIND'], 'GET, HEAD, PUT, PATCH, DELETE'],
  ])('%s returns 405 with Allow for other methods, with any body', async (_, target, methods, allow) => {
    for (const method of methods)
      expect(await send(method, path, { ...target, headers: { accept: 'text/html' }, body: '{' })).toMatchObject({
        statusCode: 405,
        headers: { allow, 'content-type': 'application/json' },
        body: JSON.stringify({ error: `The methods of this path are ${allow}` }),
      });
  });
});

test('another method is METHOD_NOT_ALLOWED as a problem', async () => {
  const headers = { accept: 'application/problem+json' };
  const { body } = await send('PATCH', '/v1/users', { headers });
  expect(JSON.parse(String(body))).toMatchObject({
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    title: expect.any(String),
  });
});

test.each([
  ['list-users', ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']],
  ['get-user', ['GET', 'HEAD', 'POST', 'OPTIONS']],
  ['create-user', ['POST']],
  ['delete-user', ['DELETE']],
] as const)('the routes of %s have the methods %j', (name, methods) => {
  expect(listRouteMethods(operations[name])).toEqual(methods);
});

test('a path of one operation allows only its method, and HEAD with GET', () => {
  const event = createRestEvent('TRACE', '/v1/other', {});
  expect(findAllowed({ method: 'POST', path: '/other' }, event)).toEqual(['POST']);
  expect(findAllowed({ method: 'GET', path: '/other' }, event)).toEqual(['GET', 'HEAD']);
});

test.each(routes.map(({ name, operation }) => [name, operation] as const))(
  '%s allows the methods that operations have on its path',
  (_, operation) => {
    const methods = Object.values(allOperations).flatMap(({ method, path }) =>
      path === operation.path ? [method] : [],
    );
    const allowed = findAllowed(operation, createRestEvent('TRACE', '/v1/users', {}))?.filter(
      (method) => method !== 'HEAD',
    );
    expect(allowed?.toSorted()).toEqual(methods.toSorted());
  },
);
