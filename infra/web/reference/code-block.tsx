import { Code } from '@mantine/core';

/** Scrollable code. Focusable, because only some browsers let the keyboard scroll an element that is not. */
export const CodeBlock = ({ label, children }: { label: string; children: string }) => (
  <Code block tabIndex={0} role="group" aria-label={label} mah="24rem" style={WRAPPED}>
    {children}
  </Code>
);

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' } as const;
