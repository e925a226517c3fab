import { ActionIcon, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { Call } from '../api/calls.ts';
import { CheckIcon, CopyIcon } from '../icons.tsx';
import { toCurl, toFetch, toGraphql } from '../snippets/snippets.ts';

export function CopyMenu({ call }: { call: Call }) {
  const { copied, copy } = useClipboard();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={copied ? 'Copied' : `Copy ${call.title}`}>
          {copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(toCurl(call))}>Copy as curl</Menu.Item>
        <Menu.Item onClick={() => copy(toFetch(call))}>Copy as fetch</Menu.Item>
        <Menu.Item onClick={() => copy(toGraphql(call))}>Copy as GraphQL</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
