import { Button, Notification, VisuallyHidden } from '@mantine/core';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { restoreFocus, usePassedFocus } from './focus.ts';
import { navigate } from './route.ts';
import { createStore, useStore } from './store.ts';

type Notice = {
  number: number;
  message: string;
  /** The message contains this name or title, whose direction does not change that of the text around it. */
  name?: string;
  tone: 'done' | 'error';
  /** Undoes what the notice tells; missing where the API cannot. */
  undo?: () => Promise<void>;
  /** Called when the notice goes, after which nothing can be undone. */
  onGone?: () => void;
  /** What else the person may do. */
  action?: { label: string; run: () => void };
  /** The notice leads to the user of this id. */
  show?: string;
  /** The notice is about the user or post of this id. */
  subject?: string;
  /** The notice is about a post of this author. */
  authorId?: string;
};

const SHOWN_SECONDS = 10;

const notices = createStore<Notice[]>([]);

let lastNumber = 0;

/** Returns a function that dismisses the notice. */
export function notify(notice: Omit<Notice, 'number'>): () => void {
  const { subject } = notice;
  if (subject !== undefined) remove((each) => each.subject === subject);
  // Of many at once, two remain, besides errors that nobody may have read, and what can be undone only here.
  const passing = notices.get().filter(({ tone, onGone }) => tone === 'done' && !onGone);
  const latest = passing.at(-1);
  remove((each) => passing.includes(each) && each !== latest);
  lastNumber += 1;
  const number = lastNumber;
  notices.set((all) => [...all, { ...notice, number }]);
  return () => dismiss(number);
}

function remove(isRemoved: (notice: Notice) => boolean): void {
  const removed = notices.get().filter(isRemoved);
  if (removed.length > 0) notices.set((all) => all.filter((notice) => !removed.includes(notice)));
  for (const { onGone } of removed) onGone?.();
}

const dismiss = (number: number): void => remove((notice) => notice.number === number);

/** Dismisses the notices about what was deleted: nothing of it can be undone. */
export const dismissAbout = (id: string): void => remove(({ subject, authorId }) => subject === id || authorId === id);

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

export function notifyFailure({ message, ...named }: Omit<Failure, 'isOpen'>, error: Error): void {
  notify({ ...named, message: `${message}: ${error.message}`, tone: 'error' });
}

export function Notices() {
  const all = useStore(notices);
  const show = (tone: Notice['tone']) =>
    all.filter((notice) => notice.tone === tone).map((notice) => <NoticeCard key={notice.number} notice={notice} />);
  return (
    <div className="notices">
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

function NoticeCard({ notice }: { notice: Notice }) {
  const { number, message, name, tone, undo, action, onGone, show } = notice;
  const [isUndoing, setUndoing] = useState(false);
  // Notices can go while they are used, such as when later ones come.
  const card = usePassedFocus<HTMLDivElement>(...NEXT);
  const startTime = useTimeLimit(card, notice);
  const close = () => {
    restoreFocus(...NEXT);
    dismiss(number);
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
      onMouseLeave={startTime}
      onBlur={startTime}
    >
      <span className="notice">
        <span className="notice-message">
          <Message text={message} name={name} />
          {onGone && <VisuallyHidden>. This can be undone for {SHOWN_SECONDS} seconds.</VisuallyHidden>}
        </span>
        {undo && (
          <Button size="compact-sm" variant="light" className="notice-undo" loading={isUndoing} onClick={run}>
            Undo
          </Button>
        )}
        {action && (
          <Button size="compact-sm" variant="light" onClick={action.run}>
            {action.label}
          </Button>
        )}
        {show && (
          <Button size="compact-sm" variant="light" onClick={() => showUser(show)}>
            Show
          </Button>
        )}
      </span>
      {onGone && <span className="notice-time" style={{ animationDuration: `${SHOWN_SECONDS}s` }} />}
    </Notification>
  );
}

/**
 * Dismisses a notice after ten seconds in which neither the pointer nor the focus was on it (WCAG 2.2.1). The returned
 * function begins them anew: either may leave while the other stays.
 */
function useTimeLimit(card: RefObject<HTMLElement | null>, { number, tone }: Notice): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const start = useCallback(() => {
    clearTimeout(timer.current);
    // What has failed may not have been read yet.
    if (tone === 'error') return;
    timer.current = setTimeout(() => {
      if (!card.current?.matches(':hover, :focus-within')) dismiss(number);
    }, SHOWN_SECONDS * 1000);
  }, [card, number, tone]);
  useEffect(() => {
    start();
    return () => clearTimeout(timer.current);
  }, [start]);
  return start;
}
