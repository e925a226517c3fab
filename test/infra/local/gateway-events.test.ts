import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { routes } from '../../../lib/rest/operations.ts';
import { listRouteMethods } from '../../../lib/rest/requests.ts';
import { startRecordingGateway } from './recording-gateway.ts';

const { record, send, reset, stop } = await startRecordingGateway({ corsOrigins: ['http://api.example.org'] });
beforeEach(reset);
afterAll(stop);

describe('an event', () => {
  test('has the payload format 2.0 as documented by API Gateway', async () => {
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
    const { event } = record.called ?? {};
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

  test('omits members that the request does not have', async () => {
    await send('GET', '/v1/users');
    for (const member of ['cookies', 'queryStringParameters', 'pathParameters', 'body'])
      expect(record.called?.event).not.toHaveProperty(member);
    expect(record.called?.event).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
  });

  const requests = ['/api/users', '/v1/users'].flatMap((base) =>
    routes.flatMap(({ functionName: name, operation }) =>
      listRouteMethods(operation).map((method) => ({ name, method, base, path: operation.path })),
    ),
  );
  test.each(requests)(
    'for $method $base$path reaches $name with that route key',
    async ({ name, method, base, path }) => {
      await send(method, base + path.replace('{id}', '42'));
      expect(record.called).toMatchObject({ name, event: { routeKey: `${method} ${base}${path}` } });
      expect(record.called?.event.pathParameters).toEqual(path ? { id: '42' } : undefined);
    },
  );

  test.each(['TRACE', 'PROPFIND'])('for %s of a known path reaches the function of GET', async (method) => {
    await send(method, '/v1/users');
    expect(record.called).toMatchObject({ name: 'list-users', event: { routeKey: `${method} /v1/users` } });
    await send(method, '/v1/users/42');
    expect(record.called).toMatchObject({ name: 'get-user', event: { routeKey: `${method} /v1/users/{id}` } });
  });

  test.each([
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['%F0%9F%A6%8A', '🦊'],
    ['100%25', '100%'],
    ['a+b', 'a+b'],
    ['%00', '\u0000'],
  ])('contains the decoded id of %j', async (sent, id) => {
    await send('GET', `/v1/users/${sent}`);
    expect(record.called?.event).toMatchObject({ pathParameters: { id }, rawPath: `/v1/users/${id}` });
  });

  test.each(['/graphql', '/graphql/'])('for %s has the route key of a Function URL for every method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
      await send(method, path);
      expect(record.called).toMatchObject({ name: 'graphql', event: { routeKey: '$default', rawPath: path } });
    }
  });

  test('contains text bodies unchanged and other bodies in base64', async () => {
    const body = Buffer.from('{"name":"Zoë"}');
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'text/plain']) {
      await send('POST', '/v1/users', { body, headers: { 'content-type': type } });
      expect(record.called?.event).toMatchObject({ body: body.toString(), isBase64Encoded: false });
    }
    for (const headers of [{}, { 'content-type': 'application/octet-stream' }]) {
      await send('POST', '/v1/users', { body, headers });
      expect(record.called?.event).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
    }
  });
});
