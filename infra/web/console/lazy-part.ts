import { type ComponentType, lazy } from 'react';
import { notify } from './notices.tsx';

const NoPart = () => null;

const unloaded: (() => Promise<unknown>)[] = [];

let isPreloading = false;

/** Parts that the page waits for. */
let opening = 0;

/** Loads the parts that a first action shows, so that they appear at once. Failed parts are loaded again when shown. */
export async function preloadParts(): Promise<void> {
  isPreloading = true;
  await Promise.allSettled(unloaded.splice(0).map((load) => load()));
  isPreloading = false;
}

/** A deployment has removed the files of this page's version, or the network failed. */
export function reportMissingPart(): void {
  if (isPreloading && opening === 0) return;
  notify({
    message:
      'This part of the page cannot be loaded. There may be a newer version: reload the page. What you have typed is kept.',
    tone: 'error',
    subject: 'missing part',
    action: { label: 'Reload', run: () => location.reload() },
  });
}

/** A part that `preloadParts` loads. */
export function nextPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  unloaded.push(load);
  return lazyPart(load);
}

/** Renders nothing if the part cannot be loaded: a notice says so, and the page keeps its state. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(async () => {
    opening += 1;
    const part = await load().catch(() => NoPart);
    opening -= 1;
    return { default: part };
  });
