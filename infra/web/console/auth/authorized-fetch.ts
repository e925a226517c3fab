import { limitTime } from '../../../../lib/client/transport.ts';
import { accessToken, awaitToken, rejectToken, renewToken } from './access-token.ts';
import { authSettings, explainRejection, readDescription } from './token.ts';

/** Excludes the time to sign in. */
const TIME_LIMIT_MS = 30_000;

/** A request with status 401 had no effect, so it is sent again. */
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
      // Renews at most once per request.
      if (token !== accessToken.get() || (rejections === 0 && (await renewToken()))) continue;
      rejectToken(explainRejection(token, authSettings.get(), readDescription(response.headers)));
    }
  };
