import { type Call, calls, recordCall } from '../api/calls.ts';

const EVENT_STREAM = 'text/event-stream';

/** Asks for a stream, and shows the request among the others. */
export async function fetchStream(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const body = JSON.parse(String(init?.body));
  // While the service is down, its repetitions would displace the other calls.
  calls.set((all) => all.filter((call) => !isFailedStream(call)));
  const finish = recordCall({ method: 'POST', path: '/graphql', headers: { accept: EVENT_STREAM }, body });
  const start = performance.now();
  try {
    const response = await fetch(url, init);
    const milliseconds = performance.now() - start;
    const text = response.ok ? 'The stream of changes' : await response.clone().text();
    finish({ status: response.status, milliseconds, body: text });
    return response;
  } catch (error) {
    const status = init?.signal?.aborted ? 'cancelled' : 'failed';
    finish({ status, milliseconds: performance.now() - start, body: String(error) });
    throw error;
  }
}

const isFailedStream = ({ headers, outcome }: Call) =>
  headers?.accept === EVENT_STREAM && (outcome?.status === 'failed' || Number(outcome?.status) >= 400);
