export type PageAction = { label: string; place: string; run: () => void };

/** Commands of the palette open the tabs of the activity. */
const ACTIONS = 'button:not([aria-keyshortcuts], [aria-label="Activity"] [role="tab"]), thead [type="checkbox"]';
/** Named parts of the page, and notices, which are named by their first line. */
const PLACES = 'section[aria-label], nav[aria-label], [role="alert"], [role="status"]';

/** Lists the visible buttons of the page, so that no action needs the mouse. Ignores open dialogs, and disabled buttons. */
export function listPageActions(): PageAction[] {
  const actions = [...document.querySelectorAll<HTMLElement>(ACTIONS)].flatMap((element): PageAction[] => {
    const label = (element.ariaLabel ?? element.innerText).replace(/\s+/g, ' ').trim();
    const isUsable =
      element.checkVisibility() && !element.matches(':disabled, [aria-disabled="true"], [role="dialog"] *');
    if (!label || !isUsable) return [];
    const part = element.closest<HTMLElement>(PLACES);
    return [{ label, place: part?.ariaLabel ?? part?.innerText.split('\n')[0] ?? '', run: () => press(element) }];
  });
  return [...new Map(actions.map((action) => [`${action.label} ${action.place}`, action])).values()];
}

/** Waits until the palette has closed, because the open palette holds the focus. */
function press(element: HTMLElement): void {
  requestAnimationFrame(() => {
    element.focus();
    element.click();
  });
}
