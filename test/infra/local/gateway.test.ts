import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startRecordingGateway } from './recording-gateway.ts';

const { record, send, reset, stop } = await startRecordingGateway();
beforeEach(reset);
afterAll(stop);

describe('the gateway itself', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/users'],
    ['GET', '/v2/users'],
    ['GET', '/v1/usersx'],
    ['GET', '/v1/users/'],
    ['GET', '/v1/users/1/'],
    ['GET', '/v1/users/1/posts'],
    ['OPTIONS', '/users'],
    ['TRACE', '/v1/users/1/posts'],
    ['HEAD', '/v1/users/1/posts'],
    ['GET', '/graphql/schema'],
  ])('returns 404 for %s %s, which matches no route', async (method, path) => {
    const { status, body } = await send(method, path);
    expect([status, body]).toEqual([404, method === 'HEAD' ? '' : '{"message":"Not Found"}']);
    expect(record.called).toBeUndefined();
  });

  test.each(['%zz', '%', '%E0%A4%A'])('returns 400 for the invalid encoding %s', async (id) => {
    expect(await send('GET', `/v1/users/${id}`)).toMatchObject({ status: 400, body: '{"message":"Bad Request"}' });
    expect(record.called).toBeUndefined();
  });

  test('returns 413 for a body above 10 MB', async () => {
    const max = 10 * 1024 * 1024;
    expect((await send('POST', '/v1/users', { body: Buffer.alloc(max) })).status).toBe(200);
    record.called = undefined;
    const { status, body } = await send('POST', '/v1/users', { body: Buffer.alloc(max + 1) });
    expect([status, body]).toEqual([413, '{"message":"Request Entity Too Large"}']);
    expect(record.called).toBeUndefined();
  });

  test('answers a request that arrives during a shutdown and closes its connection', async () => {
    const gateway = await startRecordingGateway();
    const called = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<void>();
    gateway.record.wait = async () => {
      called.resolve();
      await opened.promise;
    };
    const socket = connect(gateway.port, '127.0.0.1');
    const request = 'GET /v1/users HTTP/1.1\r\nHost: localhost\r\n\r\n';
    socket.write(request);
    await called.promise;
    const closed = once(gateway.server.close(), 'close');
    socket.write(request);
    opened.resolve();
    const received = await text(socket);
    expect(received.match(/HTTP\/1\.1 .*/g)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK']);
    expect(received.match(/^connection: .*/gim)?.at(-1)).toMatch(/close/);
    await closed;
  });

  test('returns 500 if a function throws', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    record.result = new Error('The function failed');
    expect(await send('GET', '/v1/users')).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
    expect(log).toHaveBeenCalledWith(record.result);
    log.mockRestore();
  });
});

describe('the result of a function', () => {
  test('is sent with its status, headers and cookies', async () => {
    record.result = { statusCode: 418, headers: { 'x-total-count': 7 }, cookies: ['a=1', 'b=2'], body: 'Zoë' };
    expect(await send('GET', '/v1/users')).toMatchObject({
      status: 418,
      headers: { 'x-total-count': '7', 'set-cookie': ['a=1', 'b=2'], 'content-length': '4' },
      body: 'Zoë',
    });
  });

  test('is decoded from base64', async () => {
    record.result = { statusCode: 200, body: Buffer.from('Zoë').toString('base64'), isBase64Encoded: true };
    expect((await send('GET', '/v1/users')).body).toBe('Zoë');
  });

  test('has headers but no body for HEAD', async () => {
    record.result = { statusCode: 200, headers: { etag: '"7"' }, body: 'Zoë' };
    const { status, headers, body } = await send('HEAD', '/v1/users/1');
    expect(record.called?.event).toMatchObject({ routeKey: 'HEAD /v1/users/{id}', pathParameters: { id: '1' } });
    expect([status, headers.etag, headers['content-length'], body]).toEqual([200, '"7"', '4', '']);
  });

  test('has no content-length if its status allows no body', async () => {
    for (const statusCode of [204, 304]) {
      record.result = { statusCode };
      const { status, headers } = await send('GET', '/v1/users');
      expect([status, headers['content-length']]).toEqual([statusCode, undefined]);
    }
  });
});
