import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createGateway, type Handlers } from '../../infra/local/gateway.ts';

type RequestOptions = { headers?: Record<string, string | string[]>; body?: string | Buffer };

const PLAIN: APIGatewayProxyStructuredResultV2 = {
  statusCode: 200,
  headers: { 'content-type': 'text/plain' },
  body: 'answered',
};

/** A gateway whose functions only record their event, and answer or throw what they are told to. */
export async function startRecordingGateway() {
  const record: {
    called: { name: string; event: APIGatewayProxyEventV2 } | undefined;
    result: APIGatewayProxyStructuredResultV2 | Error;
  } = { called: undefined, result: PLAIN };

  const handlerOf = (name: string) => async (event: APIGatewayProxyEventV2) => {
    record.called = { name, event };
    if (record.result instanceof Error) throw record.result;
    return record.result;
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
  const server = createGateway(handlers).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // What a server on TCP has.

  /** Sends the path as it stands: nothing is normalized. */
  async function send(method: string, path: string, { headers = {}, body }: RequestOptions = {}) {
    const outgoing = request({ port, method, path, headers, agent: false });
    outgoing.end(body);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (!response) throw new Error('No response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  return {
    record,
    send,
    forget: () => Object.assign(record, { called: undefined, result: PLAIN }),
    stop: () => void server.close().closeAllConnections(),
  };
}
