import { Button, Notification, VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { restoreFocus, usePassedFocus } from './focus.ts';
import { navigate } from './route.ts';
import { createStore, useStore } from './store.ts';

type Notice = {
  number: number;
  message: string;
  /** The message contains this name or title, whose direction does not change that of the text around it. */
  name?: string;
  tone: 'done' | 'error';
  /** It is missing where the API cannot undo. */
  undo?: () => Promise<void>;
  /** Undoing is possible for so long, which begins anew after a person has looked closely. */
  timeLimit?: { seconds: number; stop: () => void; restart: () => void };
  /** The notice leads to the user of this id. */
  show?: string;
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
  // Only the latest two remain, and those whose time to undo runs: more would cover the page.
  notices.set((all) => {
    const others = all.filter((each) => !isReplaced(each));
    return [...others.filter((each, at) => each.timeLimit || at === others.length - 1), { ...notice, number }];
  });
  // A notice that can be answered stays: some people need longer than any time limit (WCAG 2.2.1).
  if (notice.tone === 'done' && !notice.undo) setTimeout(() => dismiss(number), SHOWN_MS);
}

const dismiss = (number: number): void => notices.set((all) => all.filter((notice) => notice.number !== number));

/** Dismisses the notices about what was deleted: nothing of it can be undone. */
export const dismissAbout = (id: string): void =>
  notices.set((all) => all.filter(({ subject, authorId }) => subject !== id && authorId !== id));

type Failure = { message: string; name?: string; isOpen?: boolean };

/** Tells of an error when the form or dialog that would show it was closed while its request was under way. */
export function useErrorNotice({ isOpen = true, ...failure }: Failure): (error: Error) => void {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = isOpen;
    return () => {
      isShown.current = false;
    };
  }, [isOpen]);
  return (error) => {
    if (!isShown.current) notifyFailure(failure, error);
  };
}

export const notifyFailure = ({ message, ...named }: Omit<Failure, 'isOpen'>, error: Error): void =>
  notify({ ...named, message: `${message}: ${error.message}`, tone: 'error' });

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

function Message({ text, name }: { text: string; name: string | undefined }) {
  const at = name ? text.indexOf(name) : -1;
  if (!name || at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <bdi>{name}</bdi>
      {text.slice(at + name.length)}
    </>
  );
}

/** The keyboard continues here when the notice is gone. */
const NEXT = ['.panel-title', '.toolbar-new'] as const;

function NoticeCard({ notice: { number, message, name, tone, undo, timeLimit, show } }: { notice: Notice }) {
  const [isUndoing, setUndoing] = useState(false);
  // Notices can go while they are used: after some time, or as later ones come.
  const card = usePassedFocus<HTMLDivElement>(...NEXT);
  const close = () => {
    restoreFocus(...NEXT);
    dismiss(number);
    timeLimit?.restart();
  };
  const showUser = (user: string) => {
    navigate({ user });
    dismiss(number);
  };
  const run = async () => {
    setUndoing(true);
    await undo?.().then(
      () => notify({ message: `Undone: ${message}`, tone: 'done', ...(name ? { name } : {}) }),
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
      // The time stands still while the notice is under the pointer or has the focus (WCAG 2.2.1).
      onMouseEnter={timeLimit?.stop}
      onMouseLeave={timeLimit?.restart}
      onFocus={timeLimit?.stop}
      onBlur={timeLimit?.restart}
    >
      <span className="notice">
        <span className="notice-message">
          <Message text={message} name={name} />
          {timeLimit && <VisuallyHidden>. This can be undone for {timeLimit.seconds} seconds.</VisuallyHidden>}
        </span>
        {undo && (
          <Button size="compact-sm" variant="light" className="notice-undo" loading={isUndoing} onClick={run}>
            Undo
          </Button>
        )}
        {show && (
          <Button size="compact-sm" variant="light" onClick={() => showUser(show)}>
            Show
          </Button>
        )}
      </span>
      {timeLimit && <span className="notice-time" style={{ animationDuration: `${timeLimit.seconds}s` }} />}
    </Notification>
  );
}
