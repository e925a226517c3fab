import { useDidUpdate } from '@mantine/hooks';
import { createRef, type RefCallback, type RefObject, useCallback, useEffect, useEffectEvent } from 'react';

/** An element that may not be on the page at present. */
export type Target = { readonly current: HTMLElement | null };

/** The keyboard goes on at one of these when what had the focus is gone. The page has each of them once. */
export const usersTitle = createRef<HTMLHeadingElement>();
export const panelTitle = createRef<HTMLHeadingElement>();
export const searchField = createRef<HTMLInputElement>();
export const newUserButton = createRef<HTMLButtonElement>();
export const importButton = createRef<HTMLButtonElement>();

export const userLinkId = (id: string): string => `user-${id}`;

/** The link to a user in the list. */
export const userLink = (id: string): Target => ({
  get current() {
    return document.getElementById(userLinkId(id));
  },
});

export const userTable = createRef<HTMLTableElement>();

export const firstUserLink: Target = {
  get current() {
    return userTable.current?.querySelector('a') ?? null;
  },
};

/** Moves the focus to the first of the targets that takes it. */
export function focusFirst(...targets: Target[]): void {
  for (const { current } of targets) {
    current?.focus({ preventScroll: true });
    if (current?.matches(':focus')) return;
  }
}

/** Moves the focus if the element that had it is gone. */
export function restoreFocus(...targets: Target[]): void {
  const { activeElement, body } = document;
  if (!activeElement || activeElement === body) focusFirst(...targets);
}

/** Restores the focus when a request has ended, during which its button was disabled. */
export function useFocusAfter(isPending: boolean, ...targets: Target[]): void {
  useDidUpdate(() => {
    if (!isPending) restoreFocus(...targets);
  }, [isPending]);
}

/** Shows the first field of a form that an error is about, as a long form may hide it. What is being typed goes on. */
export function useShownFault(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (!error) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    const isTyping = document.activeElement?.matches('input, select') && form.current?.contains(document.activeElement);
    if (!isTyping) field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'nearest' });
  }, [form, error]);
}

/** Passes the focus on when the element of the returned ref is removed while it has the focus. */
export const usePassedFocus = (target: Target): RefCallback<HTMLElement> =>
  useCallback(
    (element) => () => {
      if (element?.contains(document.activeElement)) focusFirst(target);
    },
    [target],
  );

/** Restores the focus when the component is removed. */
export function useRestoredFocus(...targets: Target[]): void {
  const restore = useEffectEvent(() => restoreFocus(...targets));
  useEffect(() => () => restore(), []);
}
