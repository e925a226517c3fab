import { sharedStorage, TOKEN_KEY } from '../console/auth/tab-storage.ts';
import type { ConsoleSettings } from '../console/settings.ts';

/** Opens the console, which signs in and then returns here. GraphiQL's tabs are stored, so they are kept. */
export const redirectToSignIn = () => location.replace('/?return=/graphql');

/**
 * Redirects to the sign-in if the service requires a token and none is stored. A separate module, because
 * `fetch-signed-in.ts` loads React, which the plain text does not need.
 */
export async function requireSignIn(): Promise<void> {
  if (sharedStorage.getItem(TOKEN_KEY)) return;
  const response = await fetch('/console.json');
  // The cast is safe: the service has validated its settings.
  const { auth } = (await response.json()) as ConsoleSettings;
  if (auth.kind !== 'none') redirectToSignIn();
}
