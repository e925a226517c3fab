import { createClient } from '../../../../lib/client/client.ts';
import { readToken } from '../auth/access-token.ts';
import { recordFetch } from './calls.ts';

/** A person waits for each answer, and can try again. */
const MAX_ATTEMPTS = 3;

/** The client of the service that the page belongs to. Each attempt is one of the calls that the page shows. */
export const client = createClient({
  baseUrl: '',
  auth: readToken,
  fetch: recordFetch,
  retries: { maxAttempts: MAX_ATTEMPTS },
});
