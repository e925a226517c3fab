import { createClient, type EventListeners } from 'graphql-sse';

type Members = Record<string, unknown>;
type Request = { query: string; operationName?: string | null | undefined; variables?: Members };
type Options = {
  headers?: Record<string, string> | (() => Promise<Record<string, string>>);
  /** Whether the operation declares `$after` and selects `cursor`, so that streams can continue each other. */
  resumes: boolean;
  on?: Pick<EventListeners, 'connecting' | 'connected'>;
};

const RECONNECT_MS = 300;
const MAX_RECONNECT_MS = 15_000;

/**
 * The results of a subscription over server-sent events. The service ends each stream after a while: the next one then
 * resumes after the last change received or, before the first one, at the time of the first stream.
 */
export function followSubscription(url: string, { query, operationName, variables }: Request, options: Options) {
  const { headers = {}, resumes, on } = options;
  const request = { query, ...(operationName ? { operationName } : {}), variables: { ...variables } };
  let failures = 0;
  const client = createClient({
    url,
    headers,
    retryAttempts: Number.POSITIVE_INFINITY,
    // The default waits longer after each stream without results, even if none of them failed.
    retry: () =>
      new Promise((resolve) => setTimeout(resolve, Math.min(RECONNECT_MS * 2 ** failures, MAX_RECONNECT_MS))),
    on: {
      ...on,
      connecting: (reconnecting) => {
        failures += 1;
        on?.connecting?.(reconnecting);
      },
      connected: (reconnected) => {
        failures = 0;
        on?.connected?.(reconnected);
      },
      message: ({ data }) => {
        const cursor = findCursor(Object(data).data);
        if (resumes && cursor) request.variables.after = cursor;
      },
    },
    fetchFn: async (...fetchRequest: Parameters<typeof fetch>) => {
      const response = await fetchResults(...fetchRequest);
      if (resumes) request.variables.after ??= readServerTime(response);
      return response;
    },
  });
  return client.iterate<Members, Members>(request);
}

const readServerTime = ({ headers }: Response) => new Date(headers.get('date') ?? Date.now()).toISOString();

/** The cursor of the change in an event's data, if the operation selects it. */
export function findCursor(data: unknown): unknown {
  const [change] = Object.values(Object(data));
  return Object(change).cursor;
}

/** Shows an error response as a result. Only 503 makes the client reconnect. */
async function fetchResults(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.ok || response.status === 503) return response;
  const errors = JSON.stringify(await response.json());
  return new Response(`event: next\ndata: ${errors}\n\nevent: complete\ndata:\n\n`);
}
