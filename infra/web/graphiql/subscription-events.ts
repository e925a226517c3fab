import { ClientError, createClient, findCursor, type Operation, type Result } from '../../../lib/client/client.ts';

type Options = { headers: Record<string, string>; resumes: boolean; send?: typeof fetch };

/** `events`: the last ones, latest first. */
type Shown = { received: number; events: unknown[] };

/** Kept at a restart, which continues after the last event's cursor. */
type Progress = Shown & { after?: string | undefined };

const MAX_EVENTS = 100;

/** Progress by text and variables of the subscription. */
const subscriptions = new Map<string, Progress>();

/** A restart shows the earlier events and continues. */
export function followEvents(
  url: string,
  request: Operation,
  { headers, resumes, send = fetch }: Options,
): AsyncIterableIterator<Shown> {
  const key = JSON.stringify([request.query, request.operationName, request.variables]);
  const progress: Progress = subscriptions.get(key) ?? { received: 0, events: [] };
  subscriptions.set(key, progress);
  const after = resumes && progress.after ? { after: progress.after } : {};
  const stop = new AbortController();
  // Headers typed in the tab win over the page's.
  const sendWithHeaders: typeof fetch = (input, init) =>
    send(input, { ...init, headers: { ...init?.headers, ...headers } });
  const results = createClient({ baseUrl: '', graphqlUrl: url, fetch: sendWithHeaders }).subscribe(
    { ...request, variables: { ...request.variables, ...after } },
    // A restart before the first event continues from the subscription's start.
    { resumes, signal: stop.signal, onConnect: (start) => (progress.after = start) },
  );
  let showsOld = progress.events.length > 0;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (showsOld) {
        showsOld = false;
        return { done: false, value: show(progress) };
      }
      const { done, value } = await results.next().catch(toResult);
      if (done) return { done: true, value: undefined };
      progress.received += 1;
      progress.events = [value, ...progress.events].slice(0, MAX_EVENTS);
      progress.after = findCursor(value) ?? progress.after;
      return { done: false, value: show(progress) };
    },
    async return() {
      stop.abort();
      return { done: true, value: undefined };
    },
  };
}

const show = ({ received, events }: Progress): Shown => ({ received, events });

function toResult(error: unknown) {
  if (error instanceof ClientError && error.body) return { done: false as const, value: error.body as Result };
  throw error;
}
