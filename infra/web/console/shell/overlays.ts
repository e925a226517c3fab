const OVERLAYS = '[role="dialog"], [role="menu"]';

const keysForOverlays = new WeakSet<Event>();

// Before the components are told, which have been rendered later: at this event, they may close and be removed.
addEventListener(
  'keydown',
  (event) => {
    if (document.querySelector(OVERLAYS)) keysForOverlays.add(event);
  },
  { capture: true },
);

/** Keys that are pressed while a dialog or menu is open are meant for it, including the one that closes it. */
export const isForPage = (event: KeyboardEvent): boolean => !keysForOverlays.has(event);
