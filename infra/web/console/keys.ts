import { useHotkeys, useLocalStorage, useOs } from '@mantine/hooks';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';
import { mayWrite } from './auth/token.ts';
import { copyLink } from './copy-text.tsx';
import { searchField } from './focus.ts';
import { undoLatest } from './notices.tsx';
import { closeUser, navigate, useRoute } from './route.ts';
import { createStore } from './store.ts';

/** What lies over the page: the palette of commands, or the sheet of keys. */
export const overlay = createStore<'palette' | 'keys' | undefined>(undefined);

/** Keys that are pressed while a dialog or menu is open are meant for it, including the one that closes it. */
let isForOverlay = false;

// The listener comes before those of the components, which may remove the dialog or menu at the event.
addEventListener(
  'keydown',
  () => {
    isForOverlay = document.querySelector('[role="dialog"], [role="menu"]') !== null;
  },
  { capture: true },
);

/**
 * Returns whether a key belongs to an input method, such as Enter, which confirms Japanese text. Safari ends the composition
 * before the event of that key, whose code is then 229.
 */
export const isComposing = ({ nativeEvent }: ReactKeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === 229;

/** Speech input can press single keys by accident, so that they can be turned off (WCAG 2.1.4). */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'single-keys', defaultValue: true, getInitialValueInEffect: false });

export const useModKey = (): string => (useOs({ getValueInEffect: false }) === 'macos' ? '⌘' : 'Ctrl');

const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** The browser undoes typing, except in a form whose text is saved: there, the key undoes the save. */
function undo(event: KeyboardEvent): void {
  const { target } = event;
  const isTyping = target instanceof Element && target.matches(TEXT_FIELDS) && !target.closest('form[data-saved]');
  if (isForOverlay || isTyping) return;
  if (undoLatest()) event.preventDefault();
}

/** The keys of the page; those of the list are its own. */
export function usePageKeys(): void {
  const { user } = useRoute();
  const [hasSingleKeys] = useSingleKeys();
  const whenForPage = (act: () => void) => () => {
    if (!isForOverlay) act();
  };
  const focusSearch = whenForPage(() => searchField.current?.focus());
  const showKeys = whenForPage(() => overlay.set(() => 'keys'));
  useHotkeys([['Escape', whenForPage(() => user && closeUser(user)), { preventDefault: false }]]);
  // No tags are ignored: these keys work in fields, too.
  useHotkeys(
    [
      ['mod+Z', undo, { preventDefault: false }],
      ['mod+K', whenForPage(() => overlay.set(() => 'palette'))],
    ],
    [],
  );
  // On some keyboards, these characters need Shift.
  useHotkeys(
    hasSingleKeys
      ? [
          ['/', focusSearch],
          ['shift+/', focusSearch],
          ['shift+?', showKeys],
          ['?', showKeys],
          ['L', whenForPage(copyLink)],
          ['N', whenForPage(() => mayWrite() && navigate({ user: 'new' }))],
        ]
      : [],
  );
}
