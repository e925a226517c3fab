import type { ConsoleSettings } from '../settings.ts';

/** Other pages lead here for a sign-in. Returns the path to which it leads back: one of those that the header links. */
export function findReturnPath({ links }: ConsoleSettings): string | undefined {
  const wanted = new URLSearchParams(location.search).get('return');
  return links.find(({ path }) => path === wanted)?.path;
}
