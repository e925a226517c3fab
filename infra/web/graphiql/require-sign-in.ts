import { sharedStorage, TOKEN_KEY } from '../console/auth/tab-storage.ts';
import type { ConsoleSettings } from '../console/settings.ts';

/** The console signs in, and leads back. The tabs are kept. */
export const leadToSignIn = () => location.replace('/?return=/graphql');

/** Leads to the sign-in if the service requires a token, and there is none. The first view has this, and not `fetch-signed-in.ts`, whose modules import React. */
export async function requireSignIn(): Promise<void> {
  if (sharedStorage.getItem(TOKEN_KEY)) return;
  const response = await fetch('/console.json');
  // The service has checked its settings.
  const { auth } = (await response.json()) as ConsoleSettings;
  if (auth.kind !== 'none') leadToSignIn();
}
