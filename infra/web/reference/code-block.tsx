import { Code } from '@mantine/core';

/** Shows a text that may be longer than its box, which the arrow keys scroll: not all browsers give the focus to what scrolls. */
export const CodeBlock = ({ label, children }: { label: string; children: string }) => (
  <Code block tabIndex={0} role="group" aria-label={label} mah="24rem" style={WRAPPED}>
    {children}
  </Code>
);

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' } as const;
