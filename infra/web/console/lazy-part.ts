import { type ComponentType, lazy } from 'react';

const NoPart = () => null;

/** Renders nothing if the part cannot be loaded: `main.tsx` shows a notice, and the page keeps its state. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(async () => ({ default: await load().catch(() => NoPart) }));
