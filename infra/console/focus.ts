import { useEffect } from 'react';

/**
 * When what had the focus is gone, the keyboard continues at the first selector that finds an element. The notices are
 * left, too, as their buttons go once they were pressed.
 */
export function restoreFocus(...selectors: string[]): void {
  const { activeElement, body } = document;
  if (activeElement && activeElement !== body && !activeElement.closest('.notices')) return;
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  selectors.map(find).find(Boolean)?.focus({ preventScroll: true });
}

/** Restores the focus when a request has ended: its button was disabled meanwhile. Also when the selector changes. */
export const useFocusAfter = (isPending: boolean, selector: string): void =>
  useEffect(() => {
    if (!isPending) restoreFocus(selector);
  }, [isPending, selector]);

/** Restores the focus when the component is removed. */
export const useRestoredFocus = (selector: string, otherwise = selector): void =>
  useEffect(() => () => restoreFocus(selector, otherwise), [selector, otherwise]);
