import { sharedStorage, TOKEN_KEY } from '../console/auth/tab-storage.ts';
import type { ConsoleSettings } from '../console/settings.ts';

/** The console signs in and returns here. GraphiQL's tabs are stored. */
export const redirectToSignIn = () => location.replace('/?return=/graphql');

/** A separate module: `fetch-signed-in.ts` loads React, which the plain text does not need. */
export async function requireSignIn(): Promise<void> {
  if (sharedStorage.getItem(TOKEN_KEY)) return;
  const response = await fetch('/console.json');
  // The service has validated its settings.
  const { auth } = (await response.json()) as ConsoleSettings;
  if (auth.kind !== 'none') redirectToSignIn();
}
