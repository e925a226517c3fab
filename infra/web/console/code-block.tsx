import { Code } from '@mantine/core';

/** Focusable: only some browsers scroll other elements with the keyboard. */
export const CodeBlock = ({ label, children }: { label: string; children: string }) => (
  <Code block tabIndex={0} role="group" aria-label={label} mah="24rem" style={WRAPPED}>
    {children}
  </Code>
);

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' } as const;
