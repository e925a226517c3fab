import { sharedStorage, TOKEN_KEY } from '../console/auth/page-storage.ts';
import type { ConsoleSettings } from '../console/settings.ts';

/** The console signs in and returns here. */
export const redirectToSignIn = () => location.replace('/?return=/graphql');

/** Returns false if the browser leaves for the sign-in. Separate, because `fetch-signed-in.ts` loads React. */
export async function requireSignIn(): Promise<boolean> {
  if (sharedStorage.getItem(TOKEN_KEY)) return true;
  const response = await fetch('/console.json');
  // Cast: the service has validated its settings.
  const { auth } = (await response.json()) as ConsoleSettings;
  if (auth.kind === 'none') return true;
  redirectToSignIn();
  return false;
}
