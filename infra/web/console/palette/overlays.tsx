import { type ComponentProps, useEffect, useRef } from 'react';
import { restoreFocus, usersTitle } from '../focus.ts';
import { overlay } from '../keys.ts';
import { useStore } from '../store.ts';
import { KeySheet } from './key-sheet.tsx';
import { Palette } from './palette.tsx';

const close = () => overlay.set(() => undefined);

/** Shows the palette or the sheet of keys, which are loaded when they are first opened. */
export function Overlays(props: Omit<ComponentProps<typeof Palette>, 'onClose'>) {
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
        restoreFocus(usersTitle);
      });
    };
  }, [shown]);
  return (
    <>
      {shown === 'palette' && <Palette {...props} onClose={close} />}
      {shown === 'keys' && <KeySheet onClose={close} />}
    </>
  );
}
