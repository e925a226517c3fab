import { sharedStorage, TOKEN_KEY } from '../console/auth/page-storage.ts';
import type { ConsoleSettings } from '../console/settings.ts';

/** The console signs in and returns here. */
export const redirectToSignIn = () => location.replace('/?return=/graphql');

/** Separate, because `fetch-signed-in.ts` loads React. */
export async function requireSignIn(): Promise<void> {
  if (sharedStorage.getItem(TOKEN_KEY)) return;
  const response = await fetch('/console.json');
  // Cast: the service has validated its settings.
  const { auth } = (await response.json()) as ConsoleSettings;
  if (auth.kind !== 'none') redirectToSignIn();
}
