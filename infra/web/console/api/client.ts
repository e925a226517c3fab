import { createClient } from '../../../../lib/client/client.ts';
import { authorizeFetch } from '../auth/authorized-fetch.ts';
import { watchFetch } from '../outage/outage.ts';
import { listFieldNames } from '../own-fields.ts';
import { recordFetch } from './calls.ts';

/** Few, because a person waits and can try again. */
const MAX_ATTEMPTS = 3;

const send = authorizeFetch(recordFetch);

const options = { baseUrl: '', retries: { maxAttempts: MAX_ATTEMPTS }, timeoutMs: Number.POSITIVE_INFINITY };

export const client = createClient({ ...options, fetch: watchFetch(send) });

/** Selects all own fields in GraphQL. Call it after the settings have loaded. */
export const connect = () => createClient({ ...options, fields: listFieldNames(), fetch: watchFetch(send) });

/** Enough to survive an outage of a few minutes. */
const TRANSFER_ATTEMPTS = 12;

/**
 * For transfers of many users, which would displace the other calls in the list of recent requests. `fields`: own fields
 * that GraphQL selects.
 */
export const createTransferClient = (maxAttempts = TRANSFER_ATTEMPTS, fields: readonly string[] = []) =>
  createClient({ ...options, fields, fetch: authorizeFetch(fetch), retries: { maxAttempts } });

/** Requests of this client continue when the page is left. Browsers limit their number and size. */
export const lastingClient = createClient({
  ...options,
  fetch: (url, init) => send(url, { ...init, keepalive: true }),
});
