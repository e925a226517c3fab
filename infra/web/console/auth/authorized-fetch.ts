import { accessToken, awaitToken, rejectToken, renewToken } from './access-token.ts';
import { authSettings, explainRejection, readDescription } from './token.ts';

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
      const response = await send(url, { ...init, headers });
      if (response.status !== 401 || !token) return response;
      // Another token may have taken its place meanwhile. One that is renewed and rejected, too, is not renewed again.
      if (token !== accessToken.get() || (rejections === 0 && (await renewToken()))) continue;
      rejectToken(explainRejection(token, authSettings.get(), readDescription(response.headers)));
    }
  };
