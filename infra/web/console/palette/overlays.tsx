import { useEffect, useRef } from 'react';
import { restoreFocus } from '../focus.ts';
import { overlay } from '../keys.ts';
import type { ConsoleSettings } from '../settings.ts';
import { useStore } from '../store.ts';
import { KeySheet } from './key-sheet.tsx';
import { Palette } from './palette.tsx';

const close = () => overlay.set(() => undefined);

/** Shows the palette or the sheet of keys, which are loaded when they are first opened. */
export function Overlays({ settings }: { settings: ConsoleSettings }) {
  const shown = useStore(overlay);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (!shown) return undefined;
    before.current = document.activeElement;
    return () => {
      // A command may have moved the focus, such as into the form of a new user.
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        if (before.current instanceof HTMLElement) before.current.focus();
        restoreFocus('.users-title');
      });
    };
  }, [shown]);
  return (
    <>
      {shown === 'palette' && <Palette settings={settings} onClose={close} />}
      {shown === 'keys' && <KeySheet onClose={close} />}
    </>
  );
}
