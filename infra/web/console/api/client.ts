import { createClient } from '../../../../lib/client/client.ts';
import { authorizeFetch } from '../auth/authorized-fetch.ts';
import { watchFetch } from '../outage/outage.ts';
import { recordFetch } from './calls.ts';

/** A person waits for each answer, and can try again. */
const MAX_ATTEMPTS = 3;

const send = authorizeFetch(recordFetch);

const options = { baseUrl: '', retries: { maxAttempts: MAX_ATTEMPTS }, timeoutMs: Number.POSITIVE_INFINITY };

/** The client of the service that the page belongs to. Each attempt is one of the calls that the page shows. */
export const client = createClient({ ...options, fetch: watchFetch(send) });

/** Returns a client that also selects the own fields, which are known once the settings are loaded. */
export const connect = (fields: string[]) => createClient({ ...options, fields, fetch: watchFetch(send) });

/** Its requests outlive the page. Browsers allow that to few at once. */
export const lastingClient = createClient({
  ...options,
  fetch: (url, init) => send(url, { ...init, keepalive: true }),
});
