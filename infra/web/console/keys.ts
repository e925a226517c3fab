import { useHotkeys, useLocalStorage, useOs } from '@mantine/hooks';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';
import { mayWrite } from './auth/token.ts';
import { copyLink } from './copy-text.tsx';
import { searchField } from './focus.ts';
import { undoLatest } from './notices.tsx';
import { closeUser, navigate, useRoute } from './route.ts';
import { createStore } from './store.ts';

export const overlay = createStore<'palette' | 'keys' | undefined>(undefined);

/** True while a key belongs to an open dialog or menu, including the key that closes it. */
let isForOverlay = false;

// Runs before the components' listeners, which may remove the dialog or menu.
addEventListener(
  'keydown',
  () => {
    isForOverlay = document.querySelector('[role="dialog"], [role="menu"]') !== null;
  },
  { capture: true },
);

/** Safari ends a composition (such as Japanese text) before its Enter event, which has key code 229. */
export const isComposing = ({ nativeEvent }: ReactKeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === 229;

/** People can turn off single-key shortcuts, because speech input may trigger them by accident (WCAG 2.1.4). */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'single-keys', defaultValue: true, getInitialValueInEffect: false });

export const useModKey = (): string => (useOs({ getValueInEffect: false }) === 'macos' ? '⌘' : 'Ctrl');

const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** Leaves typing to the browser's undo. In a form that was just saved, undoes the save. */
function undo(event: KeyboardEvent): void {
  const { target } = event;
  const isTyping = target instanceof Element && target.matches(TEXT_FIELDS) && !target.closest('form[data-saved]');
  if (isForOverlay || isTyping) return;
  if (undoLatest()) event.preventDefault();
}

export function usePageKeys(): void {
  const { user } = useRoute();
  const [hasSingleKeys] = useSingleKeys();
  const whenForPage = (act: () => void) => () => {
    if (!isForOverlay) act();
  };
  const focusSearch = whenForPage(() => searchField.current?.focus());
  const showKeys = whenForPage(() => overlay.set(() => 'keys'));
  useHotkeys([['Escape', whenForPage(() => user && closeUser(user)), { preventDefault: false }]]);
  // An empty tag list: these shortcuts also work in fields.
  useHotkeys(
    [
      ['mod+Z', undo, { preventDefault: false }],
      ['mod+K', whenForPage(() => overlay.set(() => 'palette'))],
    ],
    [],
  );
  // Some keyboards need Shift for these characters.
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
