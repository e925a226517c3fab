import { ClientError, createClient, findCursor, type Operation, type Result } from '../../../lib/client/client.ts';

type Options = { headers: Record<string, string>; resumes: boolean; send?: typeof fetch };

/** GraphiQL shows this of a subscription: the number of events received, and the last of them, latest first. */
type Shown = { received: number; events: unknown[] };

/** A subscription that is started again continues from what was shown and from the cursor of the last event. */
type Progress = Shown & { after?: string | undefined };

const MAX_EVENTS = 100;

/** The keys are the subscriptions' texts and variables. */
const subscriptions = new Map<string, Progress>();

/**
 * Follows a subscription and shows its events. GraphiQL ends a subscription when another tab is opened: when it is
 * started again, it continues after the last event, and shows those from before.
 */
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
  // The headers of the tab may be others than those of the page.
  const sendWithHeaders: typeof fetch = (input, init) =>
    send(input, { ...init, headers: { ...init?.headers, ...headers } });
  const results = createClient({ baseUrl: '', graphqlUrl: url, fetch: sendWithHeaders }).subscribe(
    { ...request, variables: { ...request.variables, ...after } },
    // A subscription without an event so far continues from the time at which it was started.
    { resumes, signal: stop.signal, onConnect: (start) => (progress.after ??= start) },
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

/** A rejection is shown as one more event, with all of its errors. */
function toResult(error: unknown) {
  if (error instanceof ClientError && error.body) return { done: false as const, value: error.body as Result };
  throw error;
}
