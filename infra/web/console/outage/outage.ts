import { readAuthorization } from '../auth/access-token.ts';
import { createStore } from '../store.ts';

/** The service does not answer. The next attempt to reach it begins at this time, in ms since 1970; while one is under way, there is none. */
export type Outage = { reason: 'unreachable' | 'busy'; nextAt: number | undefined };

export const outage = createStore<Outage | undefined>(undefined);

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const ATTEMPT_MS = 10_000;

/** The gateway, or the service without its database, answers so. Too many streams are no outage. */
const OUTAGE_STATUSES = [502, 503, 504];

export const isOutageStatus = (status: number): boolean => status === 0 || OUTAGE_STATUSES.includes(status);

let isWatching = false;
let endPause = (): void => {};

/** Makes the next attempt at once. */
export const retryNow = (): void => endPause();

/** A request has failed. Unless the service answers another one, its outage is shown until it does. */
export async function suspectOutage(): Promise<void> {
  if (isWatching) return;
  isWatching = true;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs)) {
    const reason = await findReason();
    if (reason === undefined) break;
    outage.set(() => ({ reason, nextAt: Date.now() + pauseMs }));
    await pause(pauseMs);
    outage.set(() => ({ reason, nextAt: undefined }));
  }
  isWatching = false;
  if (outage.get()) outage.set(() => undefined);
}

/** Asks the service for as little as there is. Any other answer, such as to a missing token, ends the outage. */
async function findReason(): Promise<Outage['reason'] | undefined> {
  try {
    const response = await fetch('/v1/users?limit=1', {
      headers: readAuthorization(),
      cache: 'no-store',
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    await response.body?.cancel();
    return isOutageStatus(response.status) ? 'busy' : undefined;
  } catch {
    return 'unreachable';
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    endPause = () => {
      clearTimeout(timer);
      resolve();
    };
  });

addEventListener('online', retryNow);

/** A fetch that notices when the service does not answer. */
export const watchFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    try {
      const response = await send(url, init);
      // The limits of streams have this status, too.
      if (isOutageStatus(response.status) && !isStream(init)) suspectOutage();
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) suspectOutage();
      throw error;
    }
  };

const isStream = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).get('accept') === 'text/event-stream';
