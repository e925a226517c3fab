import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startRecordingGateway } from './recording-gateway.ts';

const { record, send, reset, stop, port } = await startRecordingGateway({ corsOrigins: ['https://app.example.org'] });
const open = await startRecordingGateway({ host: 'box.example' }, '0.0.0.0');
beforeEach(() => {
  reset();
  open.reset();
});
afterAll(() => {
  stop();
  open.stop();
});

const WRITES = [
  ['POST', '/v1/users'],
  ['PUT', '/api/users/1'],
  ['PATCH', '/v1/users/1'],
  ['DELETE', '/v1/users/1'],
  ['POST', '/graphql'],
] as const;

describe('a gateway on loopback', () => {
  test.each([
    'rebinding.example',
    'rebinding.example:3000',
    'localhost.example',
    '127.0.0.1.example',
    'localhost:3000@rebinding.example',
    '192.168.1.5.example',
    '[',
  ])('rejects the Host %s (DNS rebinding)', async (host) => {
    for (const [method, path] of [['GET', '/v1/users'], ['GET', '/'], ...WRITES] as const)
      expect(await send(method, path, { headers: { host } }), `${method} ${path}`).toMatchObject({ status: 421 });
    expect(record.called).toBeUndefined();
  });

  // RFC 9112 section 3.2.
  test.each(['localhost', 'rebinding.example'])('answers a request with the further Host %s with 400', async (host) => {
    for (const [method, path] of [['GET', '/v1/users'], ['GET', '/'], ...WRITES] as const)
      expect(
        await send(method, path, { headers: ['host', 'localhost', 'host', host] }),
        `${method} ${path}`,
      ).toMatchObject({
        status: 400,
        body: '{"message":"The request must have one Host header"}',
      });
    expect(record.called).toBeUndefined();
  });

  test.each([
    ...['localhost', 'LOCALHOST:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000', 'users.localhost'],
    // The gateway accepts IP addresses, because DNS rebinding works only with names.
    ...['192.168.1.5:3000', '[2001:db8::1]'],
  ])('accepts the Host %s', async (host) => {
    expect((await send('GET', '/v1/users', { headers: { host } })).status).toBe(200);
  });

  test('accepts the host of a --cors origin, such as a tunnel', async () => {
    expect((await send('GET', '/v1/users', { headers: { host: 'app.example.org' } })).status).toBe(200);
  });

  test.each(['https://site.example', 'http://localhost.example', 'null', 'file://', 'chrome-extension://abc', ''])(
    'rejects writes of the origin %s and answers its reads',
    async (origin) => {
      for (const [method, path] of WRITES)
        for (const type of ['text/plain', 'application/json'])
          expect(
            await send(method, path, { headers: { origin, 'content-type': type }, body: '{}' }),
            `${method} ${path} ${type}`,
          ).toMatchObject({ status: 403 });
      expect(record.called).toBeUndefined();
      const { status, headers } = await send('GET', '/v1/users', { headers: { origin } });
      expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
    },
  );

  test.each(['http://localhost:5173', 'http://127.0.0.1:8080', 'https://app.localhost', 'https://app.example.org'])(
    'accepts writes of the origin %s',
    async (origin) => {
      for (const [method, path] of WRITES)
        expect(await send(method, path, { headers: { origin } }), `${method} ${path}`).toMatchObject({ status: 200 });
    },
  );

  test("accepts writes without an Origin header, such as curl's", async () => {
    for (const [method, path] of WRITES) expect((await send(method, path)).status).toBe(200);
  });
});

describe('a gateway on a network', () => {
  const host = `192.168.1.5:${port}`;

  test.each(['rebinding.example', 'rebinding.example:3000', 'localhost.example'])(
    'rejects the Host %s, too',
    async (host) => {
      for (const [method, path] of [['GET', '/v1/users'], ...WRITES] as const)
        expect(await open.send(method, path, { headers: { host } }), `${method} ${path}`).toMatchObject({
          status: 421,
        });
      expect(open.record.called).toBeUndefined();
    },
  );

  test.each([host, `[::1]:${port}`, 'localhost', 'box.example', 'BOX.EXAMPLE:3000'])(
    'accepts the Host %s: an address, a local name, or the name of --host',
    async (host) => {
      expect((await open.send('GET', '/v1/users', { headers: { host } })).status).toBe(200);
    },
  );

  test('accepts writes of the same origin and rejects writes of other sites', async () => {
    const write = (origin: string) => open.send('POST', '/v1/users', { headers: { host, origin }, body: '{}' });
    expect((await write(`http://${host}`)).status).toBe(200);
    expect((await write('http://192.168.1.6')).status).toBe(403);
  });
});
