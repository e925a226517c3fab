import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * `loseAnswer` executes the request and drops the connection. `delay` drops it, and executes the request on `arrive()`.
 * `expireToken` is a `loseAnswer` after which DynamoDB does not recognize the transaction's token, as after ten minutes.
 */
export type Fault =
  | 'loseRequest'
  | 'loseAnswer'
  | 'expireToken'
  | 'delay'
  | 'hold'
  | 'conflict'
  | 'throttle'
  | 'serverError'
  | undefined;

const formatError = (name: string) => JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}` });

const ERRORS: Partial<Record<string, { status: number; body: string }>> = {
  conflict: { status: 400, body: formatError('TransactionConflictException') },
  throttle: { status: 400, body: formatError('ThrottlingException') },
  serverError: { status: 500, body: formatError('InternalServerError') },
};

export async function startFaultProxy(
  endpoint: string,
  decide: (operation: string, body: string) => Fault | Promise<Fault>,
  onAnswer: (operation: string, body: string, answer: string) => void = () => {},
) {
  const delayed: (() => Promise<Answer>)[] = [];
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const fault = await decide(operation, body.toString());
    if (fault === 'loseRequest') return void incoming.socket.destroy();
    if (fault === 'hold') return;
    const error = fault && ERRORS[fault];
    if (error)
      return void response.writeHead(error.status, { 'content-type': 'application/x-amz-json-1.0' }).end(error.body);
    const { method, headers } = incoming;
    const sent = fault === 'expireToken' ? replaceToken(body) : body;
    const send = () => sendTo(endpoint, { method, headers }, sent);
    if (fault === 'delay') delayed.push(send);
    const answer = fault === 'delay' ? undefined : await send().catch(() => undefined);
    if (!answer || fault === 'loseAnswer' || fault === 'expireToken') return void incoming.socket.destroy();
    onAnswer(operation, body.toString(), answer.body.toString());
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  // No timeout: after the default of 5 s, a busy machine might close a connection just when it is reused.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Executes the delayed requests. Returns their statuses. */
    arrive: () => Promise.all(delayed.splice(0).map(async (send) => (await send()).status)),
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Keeps the length, which a header contains. */
const replaceToken = (body: Buffer): Buffer =>
  Buffer.from(body.toString().replace(/(?<="ClientRequestToken":")[^"]+/, () => randomUUID()));

type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

async function sendTo(endpoint: string, options: RequestOptions, body: Buffer): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(endpoint, options, resolve).on('error', reject).end(body);
  const response = await promise;
  return { status: response.statusCode ?? 502, headers: response.headers, body: await buffer(response) };
}
