/** Shows a text that may be longer than its box, which the arrow keys scroll: not all browsers give the focus to what scrolls. */
export const Code = ({ label, children }: { label: string; children: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is a group of inputs
  <pre tabIndex={0} role="group" aria-label={label}>
    {children}
  </pre>
);
