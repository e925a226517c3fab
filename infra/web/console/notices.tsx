import { Button, Notification } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { restoreFocus, usePassedFocus } from './focus.ts';
import { createStore, useStore } from './store.ts';

type Notice = {
  number: number;
  message: string;
  tone: 'done' | 'error';
  /** It is missing where the API cannot undo. */
  undo?: () => Promise<void>;
  /** The notice is about the user or post of this id. */
  subject?: string;
  /** The notice is about a post of this author. */
  authorId?: string;
};

const SHOWN_MS = 15_000;

const notices = createStore<Notice[]>([]);

let lastNumber = 0;

export function notify(notice: Omit<Notice, 'number'>): void {
  lastNumber += 1;
  const number = lastNumber;
  const isReplaced = ({ subject }: Notice) => subject !== undefined && subject === notice.subject;
  // Only the latest two remain: more would cover the page.
  notices.set((all) => [...all.filter((each) => !isReplaced(each)), { ...notice, number }].slice(-2));
  // A notice that can be answered stays: some people need longer than any time limit (WCAG 2.2.1).
  if (notice.tone === 'done' && !notice.undo) setTimeout(() => dismiss(number), SHOWN_MS);
}

const dismiss = (number: number): void => notices.set((all) => all.filter((notice) => notice.number !== number));

/** Dismisses the notices about what was deleted: nothing of it can be undone. */
export const dismissAbout = (id: string): void =>
  notices.set((all) => all.filter(({ subject, authorId }) => subject !== id && authorId !== id));

/** Tells of an error when the form or dialog that would show it was closed while its request was under way. */
export function useErrorNotice(failure: string, isOpen = true): (error: Error) => void {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = isOpen;
    return () => {
      isShown.current = false;
    };
  }, [isOpen]);
  return ({ message }) => {
    if (!isShown.current) notify({ message: `${failure}: ${message}`, tone: 'error' });
  };
}

export function Notices() {
  const all = useStore(notices);
  const show = (tone: Notice['tone']) =>
    all.filter((notice) => notice.tone === tone).map((notice) => <NoticeCard key={notice.number} notice={notice} />);
  const { ref, height } = useElementSize();
  useLayoutEffect(() => {
    const covered = height > 0 ? `calc(${height}px + 2rem)` : '0px';
    document.documentElement.style.setProperty('--notices-height', covered);
  }, [height]);
  return (
    <div className="notices" ref={ref}>
      <div role="status">{show('done')}</div>
      <div role="alert">{show('error')}</div>
    </div>
  );
}

/** The keyboard continues here when the notice is gone. */
const NEXT = ['.panel-title', '.toolbar-new'] as const;

function NoticeCard({ notice: { number, message, tone, undo } }: { notice: Notice }) {
  const [isUndoing, setUndoing] = useState(false);
  // Notices can go while they are used: after some time, or as later ones come.
  const card = usePassedFocus<HTMLDivElement>(...NEXT);
  const close = () => {
    restoreFocus(...NEXT);
    dismiss(number);
  };
  const run = async () => {
    setUndoing(true);
    await undo?.().then(
      () => notify({ message: `Undone: ${message}`, tone: 'done' }),
      (error: Error) => notify({ message: `Not undone: ${error.message}`, tone: 'error' }),
    );
    close();
  };
  return (
    <Notification
      ref={card}
      role="group"
      color={tone === 'error' ? 'red' : 'teal'}
      withBorder
      onClose={close}
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
    >
      <span className="notice">
        <span className="notice-message">{message}</span>
        {undo && (
          <Button size="compact-sm" variant="light" loading={isUndoing} onClick={run}>
            Undo
          </Button>
        )}
      </span>
    </Notification>
  );
}
