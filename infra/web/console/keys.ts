import { useHotkeys, useOs } from '@mantine/hooks';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';
import { mayWrite } from './auth/token.ts';
import { copyLink } from './copy-text.tsx';
import { searchField } from './focus.ts';
import { undoLatest } from './notices.tsx';
import { closeUser, navigate, useRoute } from './route.ts';
import { createStore, useStored } from './store.ts';

export const overlay = createStore<'palette' | 'keys' | undefined>(undefined);

const MAX_OPENING_MS = 3_000;

/** Text typed after the palette was opened, before its field has the focus. Collected until the time `until`. */
let typedAhead = { text: '', until: 0 };

overlay.subscribe(() => {
  typedAhead = { text: '', until: overlay.get() === 'palette' ? performance.now() + MAX_OPENING_MS : 0 };
});

export function takeTypedAhead(): string {
  const { text } = typedAhead;
  typedAhead = { text: '', until: 0 };
  return text;
}

/** True if a dialog or menu was open when the key was pressed, even if the key closes it. */
let isForOverlay = false;

// Listens in the capture phase, because listeners of components may remove the dialog or menu.
addEventListener(
  'keydown',
  (event) => {
    isForOverlay = document.querySelector('[role="dialog"], [role="menu"]') !== null;
    const isCharacter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isCharacter || performance.now() > typedAhead.until) return;
    typedAhead.text += event.key;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  { capture: true },
);

/** Safari ends the composition before its Enter event, which then has only key code 229. */
export const isComposing = ({ nativeEvent }: ReactKeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === 229;

/** Optional, because speech input may trigger shortcuts (WCAG 2.1.4). */
export const useSingleKeys = () => useStored('single-keys', true);

export const useModKey = (): string => (useOs({ getValueInEffect: false }) === 'macos' ? '⌘' : 'Ctrl');

const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** In text fields, the browser undoes typing instead, except in a form that was just saved. */
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
  // The empty list makes these shortcuts also work in text fields.
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
