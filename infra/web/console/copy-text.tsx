import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { notify } from './notices.tsx';

/** Browsers offer a clipboard only over HTTPS. */
export async function copyUnseen(what: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify({ message: `Copied ${what}`, tone: 'done', subject: what });
  } catch {
    reportNotCopied(what);
  }
}

const reportNotCopied = (what: string): void =>
  notify({ message: `The browser does not let the page copy ${what}`, tone: 'error' });

export const copyLink = (): Promise<void> => copyUnseen('the link', location.href);

/** For buttons that show `copied`. A notice reports failures. */
export function useCopy(what: string) {
  const { copied, copy, error } = useClipboard();
  useEffect(() => {
    if (error) reportNotCopied(what);
  }, [error, what]);
  return { copied, copy };
}

type CopyProps = { text: string; what: string };

export const CopyText = ({ text, what }: CopyProps) => (
  <Group component="span" display="inline-flex" gap={6} wrap="nowrap" maw="100%">
    <Text component="code" ff="monospace" size="xs" truncate>
      {text}
    </Text>
    <CopyIcon text={text} what={what} />
  </Group>
);

export function CopyIcon({ text, what }: CopyProps) {
  const { copied, copy } = useCopy(what);
  const label = copied ? 'Copied' : `Copy ${what}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => copy(text)}>
        {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}
