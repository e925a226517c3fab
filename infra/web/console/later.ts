import { lazy } from 'react';

const load = () => import('./opened-later.ts');

type Components = Awaited<ReturnType<typeof load>>;

/** Loads a component when it is first shown, or before, in idle time. */
export const later = <Name extends keyof Components>(name: Name) =>
  lazy(async () => ({ default: (await load())[name] }));

/** The first list is shown by then: what people open next is there when they do. */
export function loadInIdleTime(): void {
  // A component that is shown tries again.
  const start = () => load().catch(() => {});
  // Safari has no idle time.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(start);
  else setTimeout(start, 1000);
}
