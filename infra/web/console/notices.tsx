import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { Notifications, notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import { isChanged } from '../../../lib/client/client.ts';
import { focusFirst, newUserButton, panelTitle } from './focus.ts';

type Notice = {
  message: string;
  name?: string;
  tone: 'done' | 'error';
  undo?: () => Promise<void>;
  /** Called when the notice closes, which ends the time for an undo. */
  onGone?: () => void;
  action?: { label: string; run: () => void };
  subject?: string;
  authorId?: string;
};

type Shown = Notice & { id: string };

const SHOWN_SECONDS = 10;

/** The visible notices, oldest first. A new notice replaces an earlier one on the same subject. */
let shown: Shown[] = [];

export function notify(notice: Notice): void {
  const added = { ...notice, id: randomId('notice-') };
  const { id, subject, onGone } = added;
  const isError = notice.tone === 'error';
  // Removes old confirmations: at most two are visible. Errors stay until dismissed.
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
    // Shown before unread errors, because the action can be undone only here.
    priority: onGone ? 1 : 0,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    // A focused notice must not vanish (WCAG 2.2.1). Mantine pauses its timer only for the pointer.
    onFocus: () => notifications.update({ ...data, autoClose: false }),
    onBlur: () => notifications.update(data),
    onClose: () => {
      shown = shown.filter((each) => each !== added);
      if (document.getElementById(id)?.contains(document.activeElement)) focusFirst(panelTitle, newUserButton);
      // Mantine calls `onClose` while it updates its list, which `onGone` may change.
      queueMicrotask(() => onGone?.());
    },
  };
  notifications.show(data);
}

function remove(isRemoved: (notice: Shown) => boolean): void {
  for (const { id } of shown.filter(isRemoved)) notifications.hide(id);
}

/** Changes of a deleted user or post can no longer be undone. */
export const dismissAbout = (id: string): void => remove(({ subject, authorId }) => subject === id || authorId === id);

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
    (error: Error) => {
      const reason = isChanged(error) ? 'it was changed elsewhere since' : error.message;
      notify({ message: `Not undone: ${reason}`, tone: 'error' });
    },
  );
}

export const notifyFailure = (failure: string, error: Error, name?: string): void =>
  notify({ message: `${failure}: ${error.message}`, tone: 'error', ...(name ? { name } : {}) });

/** False once the component was closed, for callbacks of requests. */
export function useIsOpen(): RefObject<boolean> {
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return isOpen;
}

type Change<Data, Variables> = {
  /** Such as "Ada was not saved". */
  failure: string;
  name?: string;
  send: (variables: Variables) => Promise<Data>;
  /** Updates the page. The `undo` of the returned notice reverses the change. */
  onSent: (data: Data, variables: Variables) => Done | Promise<Done>;
  onFailed?: (error: Error, variables: Variables) => unknown;
  /** True for errors that an open form does not show. */
  needsNotice?: (error: Error) => boolean;
};

type Done = Omit<Notice, 'tone'> | undefined;

/** After the form was closed, a notice shows the error. An open form shows the error itself. */
export function useChange<Data, Variables = void>(change: Change<Data, Variables>) {
  const { failure, name, send, onSent, onFailed, needsNotice } = change;
  const isOpen = useIsOpen();
  const isSending = useRef(false);
  const mutation = useMutation({
    mutationFn: send,
    onSuccess: async (data, variables) => {
      const done = await onSent(data, variables);
      if (done) notify({ ...done, tone: 'done' });
    },
    onError: (error, variables) => {
      if (!isOpen.current || needsNotice?.(error)) notifyFailure(failure, error, name);
      return onFailed?.(error, variables);
    },
    onSettled: () => {
      isSending.current = false;
    },
  });
  // A double click is faster than the page, which shows a pending request one task later.
  const mutate: typeof mutation.mutate = (...request) => {
    if (isSending.current) return;
    isSending.current = true;
    mutation.mutate(...request);
  };
  return { ...mutation, mutate };
}

const POSITION = 'bottom-left';

/** Moves the notices to the upper edge while they would cover the focused element, such as an edited field. */
function keepFocusVisible(notices: HTMLElement | null): (() => void) | undefined {
  if (notices?.dataset.position !== POSITION) return undefined;
  const move = () => {
    const { activeElement: focused, body } = document;
    // A clicked notice must not move before the end of the click.
    if (shown.length === 0 || notices.contains(focused)) return;
    Object.assign(notices.style, { top: '', bottom: '' });
    const usual = notices.getBoundingClientRect();
    const { left, right, top, bottom } = (focused ?? body).getBoundingClientRect();
    const isBeside = left > usual.right || right < usual.left || top > usual.bottom || bottom < usual.top;
    if (focused !== body && !isBeside) Object.assign(notices.style, { top: '1rem', bottom: 'auto' });
  };
  const observer = new ResizeObserver(move);
  observer.observe(notices);
  const stopping = new AbortController();
  for (const event of ['focusin', 'scroll', 'resize'])
    addEventListener(event, move, { capture: true, signal: stopping.signal });
  return () => {
    observer.disconnect();
    stopping.abort();
  };
}

export const Notices = () => (
  <Notifications
    ref={keepFocusVisible}
    position={POSITION}
    containerWidth="24rem"
    // Above an open user, below menus and dialogs.
    zIndex={150}
    // Always rendered: screen readers may ignore content that appears with its live region.
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
