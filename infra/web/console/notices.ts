import { createStore } from './store.ts';

export type Notice = {
  number: number;
  message: string;
  tone: 'done' | 'error';
  /** Absent where the API cannot undo. */
  undo?: () => Promise<void>;
  /** The id of the user or post that it is about. */
  subject?: string;
  /** The author of the post that it is about. */
  authorId?: string;
};

const SHOWN_MS = 15_000;

export const notices = createStore<Notice[]>([]);

let lastNumber = 0;

export function notify(notice: Omit<Notice, 'number'>): void {
  lastNumber += 1;
  const number = lastNumber;
  const isReplaced = ({ subject }: Notice) => subject !== undefined && subject === notice.subject;
  // The latest two: more would cover the page.
  notices.set((all) => [...all.filter((each) => !isReplaced(each)), { ...notice, number }].slice(-2));
  // What asks for a reply waits for it: some people need longer than any time limit (WCAG 2.2.1).
  if (notice.tone === 'done' && !notice.undo) setTimeout(() => dismiss(number), SHOWN_MS);
}

export const dismiss = (number: number): void => notices.set((all) => all.filter((notice) => notice.number !== number));

/** Of what was deleted, nothing can be undone. */
export const dismissAbout = (id: string): void =>
  notices.set((all) => all.filter(({ subject, authorId }) => subject !== id && authorId !== id));
