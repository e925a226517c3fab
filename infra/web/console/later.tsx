import { Alert, Button } from '@mantine/core';
import { type ComponentProps, type ComponentType, lazy } from 'react';

const load = () => import('./opened-later.ts');

type Components = Awaited<ReturnType<typeof load>>;

/** Loads a component when it is first shown, or before, in idle time. In place of one that cannot be loaded, it says so. */
export const later = <Name extends keyof Components>(name: Name) =>
  lazy(
    (): Promise<{ default: ComponentType<ComponentProps<Components[Name]>> }> =>
      load().then(
        (components) => ({ default: components[name] as ComponentType<ComponentProps<Components[Name]>> }),
        () => ({ default: NotLoaded }),
      ),
  );

/** A deployment has removed the files of the version that the page is from, or the network has failed. */
const NotLoaded = () => (
  <Alert color="red" variant="light" role="alert" m="sm" title="This part of the page cannot be loaded">
    There may be a newer version of it. What was typed is kept.
    <Button mt="sm" size="xs" variant="default" display="block" onClick={() => location.reload()}>
      Reload
    </Button>
  </Alert>
);

/** The first list is shown by then: what people open next is there when they do. */
export function loadInIdleTime(): void {
  // A component that is shown tries again.
  const start = () => load().catch(() => {});
  // Safari has no idle time.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(start);
  else setTimeout(start, 1000);
}
