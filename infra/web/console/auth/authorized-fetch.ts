import { limitTime } from '../../../../lib/client/transport.ts';
import { accessToken, awaitToken, rejectToken, renewToken } from './access-token.ts';
import { authSettings, explainRejection, readDescription } from './token.ts';

/** Limits the time of the service, not that of a person who signs in. Clients therefore have no other limit. */
const TIME_LIMIT_MS = 30_000;

/**
 * Sends requests with the token. The service answers 401 to one that it does not accept, before it does anything: the request is
 * sent again once the token is renewed, or the person has signed in.
 */
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
      // Another token may have taken its place meanwhile. One that is renewed and rejected, too, is not renewed again.
      if (token !== accessToken.get() || (rejections === 0 && (await renewToken()))) continue;
      rejectToken(explainRejection(token, authSettings.get(), readDescription(response.headers)));
    }
  };
