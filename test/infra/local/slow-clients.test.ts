import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startRecordingGateway } from './recording-gateway.ts';

let gateway: Awaited<ReturnType<typeof startRecordingGateway>>;
afterEach(() => gateway.stop());

/** Returns the response when the gateway closes the connection. */
async function sendAndWait(start: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (text) => (answer += text));
  // Closing before all data is read resets the connection, and the response may be lost.
  socket.on('error', () => {});
  socket.write(start);
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

test.each([
  ['headers', 'POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Le'],
  ['body', 'POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{'],
  ['chunked body', 'POST /graphql HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n'],
])('a client that never completes its %s is disconnected', async (_, start) => {
  gateway = await startRecordingGateway({
    timeLimits: { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 10 },
  });
  expect(await sendAndWait(start)).toMatch(/^(HTTP\/1\.1 408 |$)/);
  expect(gateway.record.called).toBeUndefined();
});

test('the default limits are 10 s for headers and 30 s for a request, as in API Gateway', async () => {
  gateway = await startRecordingGateway();
  expect(gateway.server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
});
