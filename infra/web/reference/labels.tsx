import { Text } from '@mantine/core';

/** Mantine's colors have less contrast than WCAG requires for small text. */
const BLUE = 'light-dark(#0b5cad, #7cc0ff)';
const GREEN = 'light-dark(#06693f, #6cd99f)';
const ORANGE = 'light-dark(#8a4b00, #f3bd72)';
const RED = 'light-dark(#b91c1c, #ff8f8f)';

const METHODS: Record<string, string> = { GET: BLUE, POST: GREEN, PUT: ORANGE, PATCH: ORANGE, DELETE: RED };

const STATUSES: Record<string, string> = { 2: GREEN, 3: BLUE };

const Label = ({ color = RED, children }: { color: string | undefined; children: string }) => (
  <Text span ff="monospace" fz="xs" fw={700} c={color}>
    {children}
  </Text>
);

export const Method = ({ children }: { children: string }) => <Label color={METHODS[children]}>{children}</Label>;

/** The text begins with the status. */
export const Status = ({ children }: { children: string }) => (
  <Label color={STATUSES[children[0] ?? '']}>{children}</Label>
);

export const Mark = ({ children }: { children: string }) => (
  <Text span fz="xs" c={ORANGE}>
    {children}
  </Text>
);
