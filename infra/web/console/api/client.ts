import { createClient } from '../../../../lib/client/client.ts';
import { authorizeFetch } from '../auth/authorized-fetch.ts';
import { watchFetch } from '../outage/outage.ts';
import { recordFetch } from './calls.ts';

/** Attempts per request. Few, because a person waits for each response and can try again. */
const MAX_ATTEMPTS = 3;

const send = authorizeFetch(recordFetch);

const options = { baseUrl: '', retries: { maxAttempts: MAX_ATTEMPTS }, timeoutMs: Number.POSITIVE_INFINITY };

/** API client of the service that serves this page. Each attempt is recorded as a call. */
export const client = createClient({ ...options, fetch: watchFetch(send) });

/** Returns a client that also selects the own fields. Call it after the settings have loaded. */
export const connect = (fields: string[]) => createClient({ ...options, fields, fetch: watchFetch(send) });

/** API client for requests that continue when the page is left. Browsers limit the number and size of such requests. */
export const lastingClient = createClient({
  ...options,
  fetch: (url, init) => send(url, { ...init, keepalive: true }),
});
