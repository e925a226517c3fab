import { ClientError, createClient, type Operation, type Result } from '../../../lib/client/client.ts';

type Options = { headers: Record<string, string>; resumes: boolean; send?: typeof fetch };

/** `events`: the last ones, latest first. */
type Shown = { received: number; events: unknown[] };

const MAX_EVENTS = 100;

/** Shows all events of a subscription, which follows the client's reconnections. */
export function followEvents(
  url: string,
  request: Operation,
  { headers, resumes, send = fetch }: Options,
): AsyncIterableIterator<Shown> {
  const stop = new AbortController();
  // Headers typed in the tab win over the page's.
  const sendWithHeaders: typeof fetch = (input, init) =>
    send(input, { ...init, headers: { ...init?.headers, ...headers } });
  const client = createClient({ baseUrl: '', graphqlUrl: url, fetch: sendWithHeaders });
  const results = client.subscribe(request, { resumes, signal: stop.signal });
  const shown: Shown = { received: 0, events: [] };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const { done, value } = await results.next().catch(toResult);
      if (done) return { done: true, value: undefined };
      shown.received += 1;
      shown.events = [value, ...shown.events].slice(0, MAX_EVENTS);
      return { done: false, value: { ...shown } };
    },
    async return() {
      stop.abort();
      return { done: true, value: undefined };
    },
  };
}

function toResult(error: unknown) {
  if (error instanceof ClientError && error.body) return { done: false as const, value: error.body as Result };
  throw error;
}
