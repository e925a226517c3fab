import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { acquireProcessSlot } from '../../features/change-log/sse/process-stream-limit.ts';
import { respond } from '../respond.ts';
import { MAX_CHUNK_MS, writeBody } from '../write-body.ts';

export async function sendGraphql(
  event: APIGatewayProxyEventV2,
  response: ServerResponse,
  connection = new AbortController(),
): Promise<void> {
  response.once('close', () => connection.abort());
  const { statusCode, headers, body } = await respond(event, { connection, acquireSlot: acquireProcessSlot });
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (typeof body === 'string') response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(statusCode);
  await writeBody(response, body, connection);
  if (typeof body === 'string' || response.closed) return;
  // Disconnect a client that reads nothing: it would keep the rest of its stream in memory.
  const timer = setTimeout(() => response.destroy(), MAX_CHUNK_MS);
  response.once('close', () => clearTimeout(timer));
}
