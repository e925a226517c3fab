import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/** Moves the focus to the first selector that finds an element, if the element that had the focus is gone. */
export function restoreFocus(...selectors: string[]): void {
  const { activeElement, body } = document;
  if (!activeElement || activeElement === body) focusFirst(...selectors);
}

export function focusFirst(...selectors: string[]): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  selectors.map(find).find(Boolean)?.focus({ preventScroll: true });
}

/** Restores the focus when a request has ended, during which its button was disabled. */
export function useFocusAfter(isPending: boolean, selector: string): void {
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending) restoreFocus(selector);
    wasPending.current = isPending;
  }, [isPending, selector]);
}

/** Shows the first field that an error is about, as a long form may hide it. What is being typed goes on. */
export function useShownFault(error: unknown): void {
  useEffect(() => {
    if (!error) return;
    const field = document.querySelector<HTMLElement>('.form [aria-invalid="true"]');
    if (!document.activeElement?.matches('.form :is(input, select)')) field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'nearest' });
  }, [error]);
}

/** Passes the focus on when the element of the returned ref is removed while it has the focus. */
export function usePassedFocus<Target extends HTMLElement>(
  selector: string,
  otherwise = selector,
): RefObject<Target | null> {
  const element = useRef<Target>(null);
  // A layout effect ends while the element is still in the page.
  useLayoutEffect(
    () => () => {
      if (element.current?.contains(document.activeElement)) focusFirst(selector, otherwise);
    },
    [selector, otherwise],
  );
  return element;
}

/** Restores the focus when the component is removed. */
export const useRestoredFocus = (selector: string, otherwise = selector): void =>
  useEffect(() => () => restoreFocus(selector, otherwise), [selector, otherwise]);
