import { limitTime } from '../../../../lib/client/transport.ts';
import { accessToken, awaitToken, rejectToken, renewToken } from './access-token.ts';
import { authSettings, explainRejection, readDescription } from './token.ts';

/** Limits the service's time, not a person's time to sign in. Clients therefore set no other timeout. */
const TIME_LIMIT_MS = 30_000;

/** Retries a request after a 401, which precedes any effect, once there is a new token. */
export const authorizeFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    for (let rejections = 0; ; rejections++) {
      const token = await awaitToken(init?.signal);
      const headers = new Headers(init?.headers);
      if (token) headers.set('authorization', `Bearer ${token}`);
      const response = await limitTime(TIME_LIMIT_MS, init?.signal, (signal) =>
        send(url, { ...init, headers, signal }),
      );
      if (response.status !== 401 || !token) return response;
      // The token was replaced or renewed. A second rejection is not renewed again.
      if (token !== accessToken.get() || (rejections === 0 && (await renewToken()))) continue;
      rejectToken(explainRejection(token, authSettings.get(), readDescription(response.headers)));
    }
  };
