import { readAuthorization, setToken } from '../console/auth/access-token.ts';
import { redirectToSignIn } from './require-sign-in.ts';

/** A token in the request's headers wins. */
export const fetchSignedIn: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  if (headers.has('authorization')) return fetch(input, init);
  for (const [name, value] of Object.entries(readAuthorization())) headers.set(name, value);
  const response = await fetch(input, { ...init, headers });
  if (response.status === 401) {
    // The console renews an expired token, which was not sent.
    if (headers.has('authorization')) setToken(undefined);
    redirectToSignIn();
  }
  return response;
};
