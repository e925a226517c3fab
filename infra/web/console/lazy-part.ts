import { type ComponentType, lazy } from 'react';

const NoPart = () => null;

const unloaded: (() => Promise<unknown>)[] = [];

/** Loads the parts that a first action shows, so that they appear at once. */
export const preloadParts = (): void => void Promise.allSettled(unloaded.splice(0).map((load) => load()));

/** A part that `preloadParts` loads. */
export function nextPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  unloaded.push(load);
  return lazyPart(load);
}

/** Renders nothing if the part cannot be loaded: `main.tsx` shows a notice, and the page keeps its state. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(async () => ({ default: await load().catch(() => NoPart) }));
