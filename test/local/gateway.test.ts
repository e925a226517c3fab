import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGateway, type Handlers } from '../../infra/local/gateway.ts';
import { operations } from '../../lib/rest/operations.ts';

/** What the last call was, and what it is to answer. */
let called: { name: string; event: APIGatewayProxyEventV2 } | undefined;
let result: APIGatewayProxyStructuredResultV2 | Error;

const handlerOf = (name: string) => async (event: APIGatewayProxyEventV2) => {
  called = { name, event };
  if (result instanceof Error) throw result;
  return result;
};
const handlers: Handlers = {
  'list-users': handlerOf('list-users'),
  'get-user': handlerOf('get-user'),
  'create-user': handlerOf('create-user'),
  'replace-user': handlerOf('replace-user'),
  'update-user': handlerOf('update-user'),
  'delete-user': handlerOf('delete-user'),
  graphql: handlerOf('graphql'),
};

const gateway = createGateway(handlers).listen(0, '127.0.0.1');
await once(gateway, 'listening');
const { port } = gateway.address() as AddressInfo;
afterAll(() => void gateway.close().closeAllConnections());

beforeEach(() => {
  called = undefined;
  result = { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: 'answered' };
});

type Sent = { headers?: Record<string, string | string[]>; body?: string | Buffer };

/** Sends the path as it stands: nothing is normalized. */
async function send(method: string, path: string, { headers = {}, body }: Sent = {}) {
  const outgoing = request({ port, method, path, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('an event', () => {
  test('has the form that API Gateway documents for payload 2.0', async () => {
    await send('POST', '/api/users?parameter1=value1&parameter1=value2&parameter2=a%20b+c', {
      headers: {
        Host: 'api.example.org',
        Header1: 'value1',
        Header2: ['value1', 'value2'],
        Cookie: 'cookie1=a; cookie2=b',
        'User-Agent': 'agent',
        'Content-Type': 'application/json',
        'Content-Length': '13',
      },
      body: '{"name":"Zo"}',
    });
    const { event } = called ?? {};
    expect(event).toEqual({
      version: '2.0',
      routeKey: 'POST /api/users',
      rawPath: '/api/users',
      rawQueryString: 'parameter1=value1&parameter1=value2&parameter2=a%20b+c',
      cookies: ['cookie1=a', 'cookie2=b'],
      headers: {
        host: 'api.example.org',
        header1: 'value1',
        header2: 'value1,value2',
        'user-agent': 'agent',
        'content-type': 'application/json',
        'content-length': '13',
        connection: 'close',
      },
      queryStringParameters: { parameter1: 'value1,value2', parameter2: 'a b c' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        domainName: 'api.example.org',
        domainPrefix: 'api',
        http: { method: 'POST', path: '/api/users', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'agent' },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        routeKey: 'POST /api/users',
        stage: '$default',
        time: expect.stringMatching(
          /^\d\d\/(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\/\d{4}:\d\d:\d\d:\d\d \+0000$/,
        ),
        timeEpoch: expect.any(Number),
      },
      body: '{"name":"Zo"}',
      isBase64Encoded: false,
    });
  });

  test('leaves out what the request does not have', async () => {
    await send('GET', '/v1/users');
    for (const member of ['cookies', 'queryStringParameters', 'pathParameters', 'body'])
      expect(called?.event).not.toHaveProperty(member);
    expect(called?.event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  });

  const routes = ['/api/users', '/v1/users'].flatMap((base) =>
    Object.entries(operations).map(([name, { method, path }]) => ({ name, method, base, path })),
  );
  test.each(routes)('of $method $base$path goes to $name, under that route', async ({ name, method, base, path }) => {
    await send(method, base + path.replace('{id}', '42'));
    expect(called).toMatchObject({ name, event: { routeKey: `${method} ${base}${path}` } });
    expect(called?.event.pathParameters).toEqual(path ? { id: '42' } : undefined);
  });

  test.each([
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['%F0%9F%A6%8A', '🦊'],
    ['100%25', '100%'],
    ['a+b', 'a+b'],
    ['%00', '\u0000'],
  ])('has the id %j decoded', async (sent, id) => {
    await send('GET', `/v1/users/${sent}`);
    expect(called?.event).toMatchObject({ pathParameters: { id }, rawPath: `/v1/users/${id}` });
  });

  test.each(['/graphql', '/graphql/'])(
    'of %s goes to the one route of a Function URL, whatever the method',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
        await send(method, path);
        expect(called).toMatchObject({ name: 'graphql', event: { routeKey: '$default', rawPath: path } });
      }
    },
  );

  test('has text as it is, and what is not known for text in base64', async () => {
    const body = Buffer.from('{"name":"Zoë"}');
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'text/plain']) {
      await send('POST', '/v1/users', { body, headers: { 'content-type': type } });
      expect(called?.event).toMatchObject({ body: body.toString(), isBase64Encoded: false });
    }
    for (const headers of [{}, { 'content-type': 'application/octet-stream' }]) {
      await send('POST', '/v1/users', { body, headers });
      expect(called?.event).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
    }
  });
});

describe('the gateway answers itself', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/users'],
    ['GET', '/v2/users'],
    ['GET', '/v1/usersx'],
    ['GET', '/v1/users/'],
    ['GET', '/v1/users/1/'],
    ['GET', '/v1/users/1/posts'],
    ['POST', '/v1/users/1'],
    ['DELETE', '/v1/users'],
    ['HEAD', '/v1/users/1/posts'],
    ['GET', '/graphql/schema'],
  ])('404 to %s %s, which no route takes', async (method, path) => {
    const { status, body } = await send(method, path);
    expect([status, body]).toEqual([404, method === 'HEAD' ? '' : '{"message":"Not Found"}']);
    expect(called).toBeUndefined();
  });

  test.each(['%zz', '%', '%E0%A4%A'])('400 to the broken encoding %s', async (id) => {
    expect(await send('GET', `/v1/users/${id}`)).toMatchObject({ status: 400, body: '{"message":"Bad Request"}' });
    expect(called).toBeUndefined();
  });

  test('413 to a body above 10 MB', async () => {
    const most = 10 * 1024 * 1024;
    expect((await send('POST', '/v1/users', { body: Buffer.alloc(most) })).status).toBe(200);
    called = undefined;
    const { status, body } = await send('POST', '/v1/users', { body: Buffer.alloc(most + 1) });
    expect([status, body]).toEqual([413, '{"message":"Request Entity Too Large"}']);
    expect(called).toBeUndefined();
  });

  test('500 where a function fails', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    result = new Error('The function broke');
    expect(await send('GET', '/v1/users')).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
    expect(log).toHaveBeenCalledWith(result);
    log.mockRestore();
  });
});

describe('what a function answers', () => {
  test('is sent with its status, headers and cookies', async () => {
    result = { statusCode: 418, headers: { 'x-total-count': 7 }, cookies: ['a=1', 'b=2'], body: 'Zoë' };
    expect(await send('GET', '/v1/users')).toMatchObject({
      status: 418,
      headers: { 'x-total-count': '7', 'set-cookie': ['a=1', 'b=2'], 'content-length': '4' },
      body: 'Zoë',
    });
  });

  test('is decoded where it is in base64', async () => {
    result = { statusCode: 200, body: Buffer.from('Zoë').toString('base64'), isBase64Encoded: true };
    expect((await send('GET', '/v1/users')).body).toBe('Zoë');
  });

  test('has no length where there can be no body', async () => {
    for (const statusCode of [204, 304]) {
      result = { statusCode };
      const { status, headers } = await send('GET', '/v1/users');
      expect([status, headers['content-length']]).toEqual([statusCode, undefined]);
    }
  });
});
