import { createClient } from '../../../../lib/client/client.ts';
import { accessToken, readToken, rejectToken } from '../auth/access-token.ts';
import { authSettings, explainRejection } from '../auth/token.ts';
import { watchFetch } from '../outage/outage.ts';
import { recordFetch } from './calls.ts';

/** A person waits for each answer, and can try again. */
const MAX_ATTEMPTS = 3;

/** The service answers so to a token that it does not accept. */
async function send(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const token = accessToken.get();
  const response = await recordFetch(url, init);
  // Another token may have taken its place meanwhile.
  if (response.status === 401 && token && token === accessToken.get())
    rejectToken(explainRejection(token, authSettings.get()));
  return response;
}

const options = { baseUrl: '', auth: readToken, retries: { maxAttempts: MAX_ATTEMPTS } };

/** The client of the service that the page belongs to. Each attempt is one of the calls that the page shows. */
export const client = createClient({ ...options, fetch: watchFetch(send) });

/** Returns a client that also selects the own fields, which are known once the settings are loaded. */
export const connect = (fields: string[]) => createClient({ ...options, fields, fetch: watchFetch(send) });

/** Its requests outlive the page. Browsers allow that to few at once. */
export const lastingClient = createClient({
  ...options,
  fetch: (url, init) => send(url, { ...init, keepalive: true }),
});
