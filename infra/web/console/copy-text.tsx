import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { notify } from './notices.tsx';

/** Browsers offer a clipboard only over HTTPS. */
export async function copyUnseen(what: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ message: `Copied ${what}`, tone: 'done' });
  } catch {
    notify({ message: `The browser does not let the page copy ${what}`, tone: 'error' });
  }
}

export const copyLink = (): Promise<void> => copyUnseen('the link', location.href);

export const CopyText = ({ text, label }: { text: string; label: string }) => (
  <Group component="span" display="inline-flex" gap={6} wrap="nowrap" maw="100%">
    <Text component="code" ff="monospace" size="xs" truncate>
      {text}
    </Text>
    <CopyIcon text={text} label={label} />
  </Group>
);

export const CopyIcon = ({ text, label }: { text: string; label: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Tooltip label={copied ? 'Copied' : label}>
        <ActionIcon aria-label={copied ? 'Copied' : label} onClick={copy}>
          {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
      </Tooltip>
    )}
  </CopyButton>
);
