import { ActionIcon, CopyButton } from '@mantine/core';
import { CheckIcon, CopyIcon } from './icons.tsx';

export const CopyText = ({ text, label }: { text: string; label: string }) => (
  <span className="copy-text">
    <code>{text}</code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          title={label}
          aria-label={copied ? 'Copied' : label}
          onClick={copy}
        >
          {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        </ActionIcon>
      )}
    </CopyButton>
  </span>
);
