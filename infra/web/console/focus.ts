import { createRef, type RefCallback, type RefObject, useCallback, useEffect, useEffectEvent } from 'react';

export type Target = { readonly current: HTMLElement | null };

/** Elements that receive the focus when the focused element is removed. */
export const usersTitle = createRef<HTMLHeadingElement>();
export const panelTitle = createRef<HTMLHeadingElement>();
export const searchField = createRef<HTMLInputElement>();
export const newUserButton = createRef<HTMLButtonElement>();
export const importButton = createRef<HTMLButtonElement>();

export const userLinkId = (id: string): string => `user-${id}`;

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

export function focusFirst(...targets: Target[]): void {
  for (const { current } of targets) {
    current?.focus({ preventScroll: true });
    if (current?.matches(':focus')) return;
  }
}

export function restoreFocus(...targets: Target[]): void {
  const { activeElement, body } = document;
  if (!activeElement || activeElement === body) focusFirst(...targets);
}

export function useScrollToIssue(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (!error) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    const isTyping = document.activeElement?.matches('input, select') && form.current?.contains(document.activeElement);
    if (!isTyping) field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'nearest' });
  }, [form, error]);
}

/** Moves the focus when the ref's focused element is removed. */
export const usePassedFocus = (target: Target): RefCallback<HTMLElement> =>
  useCallback(
    (element) => () => {
      if (element?.contains(document.activeElement)) focusFirst(target);
    },
    [target],
  );

export function useRestoredFocus(...targets: Target[]): void {
  const restore = useEffectEvent(() => restoreFocus(...targets));
  useEffect(() => () => restore(), []);
}
