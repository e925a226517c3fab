import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { type Operation, readDocument } from '../../../../infra/web/reference/document.ts';
import { createRequest, createValues, samples } from '../../../../infra/web/reference/request.ts';
import { routes } from '../../../../lib/rest/operations.ts';

const { groups } = readDocument(JSON.parse(JSON.stringify(openApiDocument('1.0.0'))));
const operations = groups.flatMap(({ operations }) => operations);

function findOperation(id: string): Operation {
  const operation = operations.find(({ operationId }) => operationId === id);
  if (!operation) throw new Error(`There is no operation ${id}`);
  return operation;
}

beforeAll(() => {
  vi.stubGlobal('location', { origin: 'http://localhost:3000' });
  return () => vi.unstubAllGlobals();
});

test('the groups contain each operation of the document once, without references', () => {
  expect(groups.map(({ name, operations }) => [name, operations.length])).toEqual([
    ['Users', routes.length],
    ['Users (enveloped)', routes.length],
  ]);
  expect(new Set(operations.map(({ anchor }) => anchor)).size).toBe(2 * routes.length);
  expect(JSON.stringify(operations)).not.toContain('$ref');
});

test('a PUT request has the id in its path, the headers and the body', () => {
  const { anchor, parameters } = findOperation('replaceUser');
  expect(anchor).toBe('tag/users/PUT/v1/users/{id}');
  expect(parameters.map(({ name }) => name)).toEqual([
    'id',
    'include',
    'If-Match',
    'If-None-Match',
    'If-Unmodified-Since',
  ]);
});

test('a PUT request of the collection has the unique fields as parameters', () => {
  expect(findOperation('upsertUser').parameters.map(({ name }) => name)).toEqual([
    'email',
    'include',
    'If-Match',
    'If-None-Match',
    'If-Unmodified-Since',
  ]);
});

describe('a request', () => {
  test('contains only parameters that have a value', () => {
    const operation = findOperation('listUsers');
    expect(createRequest(operation, createValues(operation))).toEqual({
      method: 'GET',
      url: 'http://localhost:3000/v1/users',
      headers: {},
    });
    const parameters = { q: 'ada & co', page: '', limit: '5' };
    const { url } = createRequest(operation, { ...createValues(operation), parameters });
    expect(url).toBe('http://localhost:3000/v1/users?limit=5&q=ada+%26+co');
  });

  test('escapes the values of its path', () => {
    const operation = findOperation('deleteUser');
    const values = { ...createValues(operation), parameters: { id: 'a/b?', 'If-Match': '"1"' } };
    const { url, headers } = createRequest(operation, values);
    expect(url).toBe('http://localhost:3000/v1/users/a%2Fb%3F');
    expect(headers).toEqual({ 'If-Match': '"1"' });
  });

  test('has the selected media type', () => {
    const operation = findOperation('updateUser');
    const values = { ...createValues(operation), mediaType: 'application/merge-patch+json' };
    expect(createRequest(operation, values).headers).toEqual({ 'Content-Type': 'application/merge-patch+json' });
  });
});

describe.each(['{"name":"D\'Arcy \\"true\\" 雪\\n","ok":true,"none":null}', '{"name":'])(
  'a sample with the body %s',
  (body) => {
    const request = {
      method: 'POST',
      url: "http://localhost:3000/v1/users/o'hara",
      headers: { 'If-Match': '"1"' },
      body,
    };

    test('of curl sends the body', () => {
      const script = `curl() { for last; do :; done; printf %s "$last"; }\n${samples.curl(request)}`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(body);
    });

    test('of JavaScript sends the body', () => {
      const send = vi.fn();
      new Function('fetch', samples.JavaScript(request).replace('await ', ''))(send);
      const { url, ...init } = request;
      expect(send).toHaveBeenCalledExactlyOnceWith(url, init);
    });

    test('of Python replaces JSON literals only outside of texts', () => {
      const wanted = body.endsWith('}')
        ? '{\n    "name": "D\'Arcy \\"true\\" 雪\\n",\n    "ok": True,\n    "none": None\n  }'
        : JSON.stringify(body);
      expect(samples.Python(request)).toContain(`${body.endsWith('}') ? 'json' : 'data'}=${wanted},`);
    });
  },
);
