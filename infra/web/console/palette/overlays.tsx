import { type ComponentProps, useEffect } from 'react';
import { restoreFocus, usersTitle } from '../focus.ts';
import { overlay } from '../keys.ts';
import { MissingDialog, nextPart } from '../lazy-part.tsx';
import { useStore } from '../store.ts';

const Palette = nextPart(async () => (await import('./palette.tsx')).Palette, MissingDialog);

const KeySheet = nextPart(async () => (await import('./key-sheet.tsx')).KeySheet, MissingDialog);

const close = () => overlay.set(() => undefined);

export function Overlays(props: Omit<ComponentProps<typeof Palette>, 'onClose'>) {
  const shown = useStore(overlay);
  useEffect(() => {
    if (!shown) return undefined;
    const { activeElement } = document;
    const before = { current: activeElement instanceof HTMLElement ? activeElement : null };
    // Restores the focus only if nothing has it. Mantine would take it back, for example from a form that a command has
    // opened.
    return () => void requestAnimationFrame(() => restoreFocus(before, usersTitle));
  }, [shown]);
  return (
    <>
      {shown === 'palette' && <Palette {...props} onClose={close} />}
      {shown === 'keys' && <KeySheet onClose={close} />}
    </>
  );
}
