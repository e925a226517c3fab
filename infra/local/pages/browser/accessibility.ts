/** The text areas of the editors, by where they are. */
const EDITORS: Record<string, string> = {
  '.graphiql-query-editor textarea': 'Operation',
  '.graphiql-editor-tool .graphiql-editor:first-child textarea': 'Variables',
  '.graphiql-editor-tool .graphiql-editor:last-child textarea': 'Headers',
  '.graphiql-response textarea': 'Response',
};

/** GraphiQL's editors have no names, and its tabs contain buttons, which the role of a tab does not allow. */
export function improveAccessibility(root: HTMLElement): void {
  const improve = () => {
    for (const [selector, name] of Object.entries(EDITORS)) setAll(root, selector, 'aria-label', name);
    setAll(root, '.CodeMirror-scroll', 'tabindex', '0');
    setAll(root, '.graphiql-tabs', 'role', 'list');
    setAll(root, '.graphiql-tab', 'role', 'listitem');
    for (const tab of root.querySelectorAll('.graphiql-tab[aria-selected]')) tab.removeAttribute('aria-selected');
    for (const button of root.querySelectorAll('.graphiql-tab-button')) {
      const isActive = button.closest('.graphiql-tab-active') !== null;
      if (button.getAttribute('aria-current') !== String(isActive))
        button.setAttribute('aria-current', String(isActive));
    }
    setAll(root, '#graphiql-session', 'role', 'region');
  };
  const options = {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['aria-selected', 'class', 'role'],
  };
  new MutationObserver(improve).observe(root, options);
}

function setAll(root: HTMLElement, selector: string, attribute: string, value: string): void {
  for (const element of root.querySelectorAll(selector))
    if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}
