import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createGateway, type GatewayOptions, type Handlers } from '../../../infra/local/gateway.ts';
import type { Handler } from '../../../infra/local/runtime.ts';
import { operationNames } from '../../../lib/rest/operations.ts';

/** A list of headers has names and values in turn, so names may repeat. */
type RequestOptions = { headers?: Record<string, string | string[]> | string[]; body?: string | Buffer };

const DEFAULT_RESULT: APIGatewayProxyStructuredResultV2 = {
  statusCode: 200,
  headers: { 'content-type': 'text/plain' },
  body: 'result',
};

/** The functions return or throw `record.result`. */
export async function startRecordingGateway(options: GatewayOptions = {}, host = '127.0.0.1') {
  const record: {
    called: { name: string; event: APIGatewayProxyEventV2 } | undefined;
    result: APIGatewayProxyStructuredResultV2 | Error;
    /** Awaited before each response. */
    wait: () => Promise<void>;
  } = { called: undefined, result: DEFAULT_RESULT, wait: async () => {} };

  const createHandler = (name: string) => async (event: APIGatewayProxyEventV2) => {
    record.called = { name, event };
    await record.wait();
    if (record.result instanceof Error) throw record.result;
    return record.result;
  };
  const names = [...operationNames, 'graphql'] as const;
  const handlers = Object.fromEntries<Handler>(names.map((name) => [name, createHandler(name)]));
  const server = createGateway(handlers as Handlers, options).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  /** Does not normalize the path, as `fetch` would. */
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
    port,
    server,
    reset: () => Object.assign(record, { called: undefined, result: DEFAULT_RESULT }),
    stop: () => void server.close().closeAllConnections(),
  };
}
