import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Start this before the SQS client sends its first message. */
export async function startQueue() {
  const queue = { messages: [] as object[], isDown: false };
  const server = createServer(async (request, response) => {
    const { MessageBody } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (queue.isDown) return response.writeHead(403).end(JSON.stringify({ __type: 'AccessDenied' }));
    queue.messages.push(JSON.parse(MessageBody));
    // The SDK checks this hash.
    const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
    response.setHeader('content-type', 'application/x-amz-json-1.0').end(JSON.stringify({ MD5OfMessageBody }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.AWS_ENDPOINT_URL_SQS = url;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(queue, { url, stop });
}
