import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

Object.assign(process.env, { MAX_STREAMS: '2', MAX_STREAMS_PER_CALLER: '1', CORS_ORIGINS: 'https://app.example.com' });
const { table } = await import('../../../../lib/dynamodb/client.ts');
const { createGraphqlServer } = await import('../../../../lib/graphql/server/server.ts');
type GraphqlServer = import('../../../../lib/graphql/server/server.ts').GraphqlServer;

vi.spyOn(console, 'info').mockReturnValue();

let graphql: GraphqlServer;
const start = async (options = {}) => {
  graphql = createGraphqlServer(options);
  await once(graphql.server.listen(0, '127.0.0.1'), 'listening');
};
beforeEach(() => start());
afterEach(async () => {
  graphql.server.closeAllConnections();
  if (graphql.server.listening) await graphql.drain();
});

const getPort = () => (graphql.server.address() as AddressInfo).port; // `address()` returns a string only for pipes.

type Options = { method?: string; headers?: Record<string, string>; body?: string };

function open({ method = 'POST', headers = {}, body = '' }: Options): ClientRequest {
  const outgoing = request({
    port: getPort(),
    method,
    path: '/graphql',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers },
  });
  outgoing.on('error', () => {});
  outgoing.end(body);
  return outgoing;
}

async function send(options: Options) {
  const [response]: IncomingMessage[] = await once(open(options), 'response');
  if (!response) throw new Error('No response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const query = (document: string) => JSON.stringify({ query: document });

async function subscribe(forwardedFor = '192.0.2.1') {
  const outgoing = open({
    headers: { accept: 'text/event-stream', 'x-forwarded-for': forwardedFor },
    body: query('subscription { userChanged { id } }'),
  });
  const [response]: IncomingMessage[] = await once(outgoing, 'response');
  if (!response) throw new Error('No response');
  return { status: response.statusCode, response, disconnect: () => outgoing.destroy() };
}

describe('draining', () => {
  test('ends streams without complete, finishes requests, and accepts no more', async () => {
    const { response } = await subscribe();
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    table.middlewareStack.add(
      (next) => async (args) => {
        reached.resolve();
        await released.promise;
        return next(args);
      },
      { step: 'initialize', name: 'wait' },
    );
    const answer = send({ body: query('{ users { totalCount } }') });
    await reached.promise;
    const port = getPort();
    const drained = graphql.drain();
    const late = connect(port, '127.0.0.1');
    expect(await once(late, 'error')).toMatchObject([{ syscall: 'connect' }]);
    released.resolve();
    expect(await text(response)).toBe(':\n\n');
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await drained;
    table.middlewareStack.remove('wait');
  });

  test('closes idle connections', async () => {
    const socket = connect(getPort(), '127.0.0.1');
    socket.write('GET /graphql HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n');
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await graphql.drain();
    await closed;
  });
});

test('a client that disconnects ends its stream, which frees its slot', async () => {
  const first = await subscribe();
  expect((await subscribe()).status).toBe(429);
  first.disconnect();
  await vi.waitFor(async () => {
    const next = await subscribe();
    next.disconnect();
    expect(next.status).toBe(200);
  }, 60_000);
});

test('streams are counted in the process: opening and closing one writes nothing to the table', async () => {
  const commands: string[] = [];
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        commands.push(commandName);
        return next(args);
      },
    { step: 'initialize', name: 'record' },
  );
  const { status, response, disconnect } = await subscribe('192.0.2.99');
  await once(response, 'data');
  disconnect();
  await vi.waitFor(async () => {
    const next = await subscribe('192.0.2.99');
    next.disconnect();
    expect(next.status).toBe(200);
  }, 60_000);
  table.middlewareStack.remove('record');
  expect(status).toBe(200);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((name) => !/^(Query|Get|BatchGet)/.test(name))).toEqual([]);
});

test('the address that Lambda appends counts, not forged ones', async () => {
  expect((await subscribe('203.0.113.1, 192.0.2.1')).status).toBe(200);
  expect((await subscribe('203.0.113.2, 192.0.2.1')).status).toBe(429);
  expect((await subscribe('203.0.113.1, 192.0.2.2')).status).toBe(200);
});

test('many requests use one connection', async () => {
  const socket = connect(getPort(), '127.0.0.1');
  for (let count = 0; count < 3; count++) {
    socket.write(
      'GET /graphql?query={__typename} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nApollo-Require-Preflight: x\r\n\r\n',
    );
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\{"data":\{"__typename":"Query"\}\}\n$/);
  }
  socket.destroy();
});

describe('a request', () => {
  test.each([
    ['of more than 100,000 bytes', 'x'.repeat(100_001)],
    ['of more than a million bytes', 'x'.repeat(1_000_001)],
  ])('%s is rejected with 413 as JSON', async (_, body) => {
    const { status, headers, body: answer } = await send({ body });
    expect({ status, type: headers['content-type'] }).toEqual({
      status: 413,
      type: expect.stringContaining('application/json'),
    });
    expect(JSON.parse(answer)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  });

  // RFC 9112 section 3.2.
  test('with several Host headers is rejected with 400', async () => {
    const socket = connect(getPort(), '127.0.0.1');
    socket.end('GET /graphql HTTP/1.1\r\nHost: a.example\r\nHost: a.example\r\nConnection: close\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('The request must have one Host header');
  });

  test('with headers of more than 32 kB is rejected with 431', async () => {
    expect(await send({ headers: { authorization: 'x'.repeat(33_000) } })).toMatchObject({ status: 431 });
  });

  test('with a token of 20 kB is accepted', async () => {
    expect(await send({ headers: { authorization: 'x'.repeat(20_000) }, body: query('{ __typename }') })).toMatchObject(
      {
        status: 200,
      },
    );
  });

  test('that stays incomplete is closed', async () => {
    await graphql.drain();
    await start({ headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 10 });
    const socket = connect(getPort(), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    socket.resume();
    await once(socket, 'close');
  });
});

describe('pages of other origins', () => {
  const preflight = (origin: string) =>
    send({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });

  test('that are allowed may send tokens and read errors, but no browser credentials', async () => {
    const { status, headers } = await preflight('https://app.example.com');
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': expect.stringContaining('authorization'),
      vary: 'origin',
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    const answer = await send({ headers: { origin: 'https://app.example.com' }, body: query('{ __typename }') });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-expose-headers': expect.stringMatching(/^date,.*www-authenticate/),
      date: expect.stringContaining('GMT'),
    });
  });

  test('that are not allowed get no CORS headers', async () => {
    const { headers } = await preflight('https://other.example.com');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
