import { createClient } from '../../../../lib/client/client.ts';
import { readToken } from '../auth/access-token.ts';
import { watchFetch } from '../outage/outage.ts';
import { recordFetch } from './calls.ts';

/** A person waits for each answer, and can try again. */
const MAX_ATTEMPTS = 3;

const options = { baseUrl: '', auth: readToken, retries: { maxAttempts: MAX_ATTEMPTS } };

/** The client of the service that the page belongs to. Each attempt is one of the calls that the page shows. */
export const client = createClient({ ...options, fetch: watchFetch(recordFetch) });

/** Its requests outlive the page. Browsers allow that to few at once. */
export const lastingClient = createClient({
  ...options,
  fetch: (url, init) => recordFetch(url, { ...init, keepalive: true }),
});
