import { recordCall } from '../api/calls.ts';

/** Asks for a stream, and shows the request among the others. */
export async function fetchStream(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const body = JSON.parse(String(init?.body));
  const finish = recordCall({ method: 'POST', path: '/graphql', headers: { accept: 'text/event-stream' }, body });
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
