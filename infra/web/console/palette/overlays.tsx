import { type ComponentProps, useEffect } from 'react';
import { restoreFocus, usersTitle } from '../focus.ts';
import { overlay } from '../keys.ts';
import { useStore } from '../store.ts';
import { KeySheet } from './key-sheet.tsx';
import { Palette } from './palette.tsx';

const close = () => overlay.set(() => undefined);

/** Shows the palette or the sheet of keys. */
export function Overlays(props: Omit<ComponentProps<typeof Palette>, 'onClose'>) {
  const shown = useStore(overlay);
  useEffect(() => {
    if (!shown) return undefined;
    const { activeElement } = document;
    const before = { current: activeElement instanceof HTMLElement ? activeElement : null };
    // A command may have moved the focus, such as into the form of a new user. Mantine would take it back.
    return () => void requestAnimationFrame(() => restoreFocus(before, usersTitle));
  }, [shown]);
  return (
    <>
      {shown === 'palette' && <Palette {...props} onClose={close} />}
      {shown === 'keys' && <KeySheet onClose={close} />}
    </>
  );
}
