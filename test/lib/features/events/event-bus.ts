import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudEvent } from '../../../../lib/features/events/cloud-event.ts';

export type Entry = { EventBusName: string; Source: string; DetailType: string; Time: number; Detail: string };

/** An error code or undefined per entry, an error for the whole request, or a closed connection. */
export type Answer = (entries: Entry[]) => (string | undefined)[] | { status: number; type: string } | 'reset';

const acceptAll: Answer = (entries) => entries.map(() => undefined);

/** Call this before importing the EventBridge client, which reads the endpoint on import. */
export async function startEventBus() {
  const bus = {
    answer: acceptAll,
    requests: [] as Entry[][],
    accepted: [] as CloudEvent[],
    reset() {
      Object.assign(bus, { answer: acceptAll, requests: [], accepted: [] });
    },
  };
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { Entries } = JSON.parse(Buffer.concat(chunks).toString()) as { Entries: Entry[] };
    bus.requests.push(Entries);
    const answer = bus.answer(Entries);
    if (answer === 'reset') return request.socket.resetAndDestroy();
    if (!Array.isArray(answer))
      return response
        .writeHead(answer.status)
        .end(JSON.stringify({ __type: answer.type, message: 'quotes the event' }));
    const accepted = Entries.filter((_, at) => !answer[at]);
    bus.accepted.push(...accepted.map(({ Detail }) => JSON.parse(Detail) as CloudEvent));
    const results = answer.map((code, at) =>
      code ? { ErrorCode: code, ErrorMessage: 'quotes the event' } : { EventId: `id-${at}` },
    );
    response.end(JSON.stringify({ FailedEntryCount: answer.filter(Boolean).length, Entries: results }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env.AWS_ENDPOINT_URL_EVENTBRIDGE = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return Object.assign(bus, { stop });
}
