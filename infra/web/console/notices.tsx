import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { Notifications, notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { focusFirst, newUserButton, panelTitle } from './focus.ts';

type Notice = {
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
  /** The notice is about the user or post of this id. */
  subject?: string;
  /** The notice is about a post of this author. */
  authorId?: string;
};

type Shown = Notice & { id: string };

const SHOWN_SECONDS = 10;

/** What `undoLatest` can undo, and what a later notice about the same replaces; the latest is last. */
let shown: Shown[] = [];

export function notify(notice: Notice): void {
  const added = { ...notice, id: randomId('notice-') };
  const { id, subject, onGone } = added;
  const isError = notice.tone === 'error';
  // Of many at once, two remain, besides errors that nobody may have read, and what can be undone only here.
  const passing = shown.filter((each) => each.tone === 'done' && !each.onGone).slice(0, -1);
  remove((each) => (subject !== undefined && each.subject === subject) || passing.includes(each));
  shown = [...shown, added];
  const data = {
    id,
    message: <Message notice={added} />,
    role: isError ? 'alert' : 'status',
    color: isError ? 'red' : 'teal',
    withBorder: true,
    autoClose: isError ? (false as const) : SHOWN_SECONDS * 1000,
    withAutoCloseProgress: onGone !== undefined,
    // What can be undone only here does not wait until errors were read.
    priority: onGone ? 1 : 0,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    // Mantine waits for the pointer only, unless notices cover each other (WCAG 2.2.1).
    onFocus: () => notifications.update({ ...data, autoClose: false }),
    onBlur: () => notifications.update(data),
    onClose: () => {
      shown = shown.filter((each) => each !== added);
      if (document.getElementById(id)?.contains(document.activeElement)) focusFirst(panelTitle, newUserButton);
      // Mantine calls this while it changes its list, which must not change meanwhile.
      queueMicrotask(() => onGone?.());
    },
  };
  notifications.show(data);
}

function remove(isRemoved: (notice: Shown) => boolean): void {
  for (const { id } of shown.filter(isRemoved)) notifications.hide(id);
}

/** Dismisses the notices about what was deleted: nothing of it can be undone. */
export const dismissAbout = (id: string): void => remove(({ subject, authorId }) => subject === id || authorId === id);

/** Returns whether a notice offers to undo something. */
export function undoLatest(): boolean {
  const latest = shown.findLast(({ undo }) => undo);
  if (latest) undoNotice(latest);
  return latest !== undefined;
}

async function undoNotice({ id, message, name, undo }: Shown): Promise<void> {
  const undone = undo?.();
  notifications.hide(id);
  await undone?.then(
    () => notify({ message: `Undone: ${message}`, tone: 'done', ...(name ? { name } : {}) }),
    (error: Error) => notify({ message: `Not undone: ${error.message}`, tone: 'error' }),
  );
}

type Failure = Pick<Notice, 'message' | 'name'>;

/** Tells of an error when the form that would show it was closed while its request was under way. */
export function useErrorNotice(failure: Failure): (error: Error) => void {
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return (error) => {
    if (!isOpen.current) notifyFailure(failure, error);
  };
}

export const notifyFailure = ({ message, ...named }: Failure, error: Error): void =>
  notify({ ...named, message: `${message}: ${error.message}`, tone: 'error' });

/** Notices float over the corner without buttons, above the dock, the page numbers and the buttons of a form, and move nothing. */
export const Notices = () => (
  <Notifications
    position="bottom-left"
    containerWidth="24rem"
    // They lie above an open user, and below menus and dialogs.
    zIndex={150}
    // A screen reader may not announce what is a live region only once it is there.
    aria-live="polite"
  />
);

function Message({ notice }: { notice: Shown }) {
  const { id, message, name, undo, action, onGone } = notice;
  const [before, ...after] = name ? message.split(name) : [message];
  const offer = undo ? { label: 'Undo', run: () => undoNotice(notice) } : action;
  const accept = () => {
    offer?.run();
    notifications.hide(id);
  };
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap">
      {/* A long name may be cut, but the button may not. */}
      <Text size="sm" c="var(--mantine-color-text)" lineClamp={6} data-testid="notice">
        {before}
        {after.length > 0 && <bdi>{name}</bdi>}
        {after.join(name)}
        {onGone && <VisuallyHidden>. This can be undone for {SHOWN_SECONDS} seconds.</VisuallyHidden>}
      </Text>
      {offer && (
        <Button size="compact-sm" variant="light" flex="none" onClick={accept}>
          {offer.label}
        </Button>
      )}
    </Group>
  );
}
