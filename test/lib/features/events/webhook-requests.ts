import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudEvent } from '../../../../lib/features/events/cloud-event.ts';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string };
export type Answer = { status: number; headers?: Record<string, string> } | 'none';

const accept = (): Answer => ({ status: 204 });

export async function startReceiver() {
  const receiver = {
    received: [] as Received[],
    answer: accept as (event: CloudEvent) => Answer,
    reset() {
      Object.assign(receiver, { received: [], answer: accept });
    },
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    receiver.received.push({ path: request.url ?? '', headers: request.headers, body });
    const answer = receiver.answer(JSON.parse(body));
    if (answer !== 'none') response.writeHead(answer.status, answer.headers).end('read by nobody');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(receiver, { url, stop });
}

/** Verifies the signature independently of the sender's code. */
export function verify({ headers, body }: Received, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return String(signatures)
    .split(' ')
    .map((signature) => signature.split(','))
    .filter(([version]) => version === 'v1')
    .some(([, text = '']) => {
      const given = Buffer.from(text, 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

export const newEvent = (id: string): CloudEvent => ({
  ...{ specversion: '1.0', id, source: 'user-management/local', type: 'user.created', subject: 'ada' },
  ...{ time: '2026-01-01T00:00:00.000Z', datacontenttype: 'application/json' },
  data: { kind: 'CREATED', id: 'ada', version: 1, by: null, before: null, after: { name: 'Ada “Lovelace”' } },
});
