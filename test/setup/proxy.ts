import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request to DynamoDB: `loseAnswer` lets it take effect and drops the answer. */
export type Fault = 'loseRequest' | 'loseAnswer' | 'hold' | 'conflict' | undefined;

const CONFLICT = JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#TransactionConflictException' });

/** A proxy in front of DynamoDB that asks `decide` for the fault of each request, given the operation's name. */
export async function startFaultProxy(
  endpoint: string,
  decide: (operation: string, body: string) => Fault | Promise<Fault>,
) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const fault = await decide(operation, body.toString());
    if (fault === 'loseRequest') return void request.socket.destroy();
    if (fault === 'hold') return;
    if (fault === 'conflict')
      return void response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(CONFLICT);
    const onward = forward(endpoint, { method: request.method, headers: request.headers }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part);
      if (fault === 'loseAnswer') return void request.socket.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(parts));
    });
    onward.on('error', () => request.socket.destroy());
    onward.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
