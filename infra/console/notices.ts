import { createStore } from './store.ts';

/** `undo` is absent where the API cannot undo. */
export type Notice = { number: number; message: string; tone: 'done' | 'error'; undo?: () => Promise<void> };

const SHOWN_MS = 15_000;

export const notices = createStore<Notice[]>([]);

let lastNumber = 0;

export function notify(notice: Omit<Notice, 'number'>): void {
  lastNumber += 1;
  const number = lastNumber;
  // The latest two: more would cover the page.
  notices.set((all) => [...all, { ...notice, number }].slice(-2));
  // What asks for a reply waits for it: some people need longer than any time limit (WCAG 2.2.1).
  if (notice.tone === 'done' && !notice.undo) setTimeout(() => dismiss(number), SHOWN_MS);
}

export const dismiss = (number: number): void => notices.set((all) => all.filter((notice) => notice.number !== number));
