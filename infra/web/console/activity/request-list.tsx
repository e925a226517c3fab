import {
  ActionIcon,
  Badge,
  Button,
  Code,
  Group,
  Menu,
  Stack,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { type Call, calls } from '../api/calls.ts';
import { formatCount } from '../format.ts';
import { useStore } from '../store.ts';
import { formatHeaders, formatRequestBody, formatResponse, toClient, toCurl, toFetch } from './call-text.ts';

/** Shows developers which requests the page has sent, to send them from programs of their own. */
export function RequestList() {
  const all = useStore(calls);
  return (
    <>
      <Group px="md" py="xs" gap="sm" justify="space-between">
        <Text size="sm">{formatCount(all.length, 'call')}, latest first</Text>
        <Button size="compact-sm" variant="default" onClick={() => calls.set(() => [])}>
          Clear
        </Button>
      </Group>
      <Table layout="fixed" verticalSpacing={4} withRowBorders={false}>
        <Table.Thead>
          <Table.Tr c="dimmed">
            <Table.Th pl="md">Call</Table.Th>
            <Table.Th w="7rem">Status</Table.Th>
            <Table.Th w="3rem">
              <VisuallyHidden>Copy</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((call) => (
            <RequestRow key={call.number} call={call} />
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

function RequestRow({ call }: { call: Call }) {
  const [isOpen, setOpen] = useState(false);
  const { title, outcome } = call;
  const hasFailed = outcome?.status === 'failed' || Number(outcome?.status) >= 400;
  return (
    <>
      <Table.Tr>
        <Table.Td pl="md">
          <UnstyledButton w="100%" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Text size="sm" ff="monospace" truncate>
              {title}
            </Text>
            <Text size="xs" c="dimmed">
              {describeOutcome(outcome)}
            </Text>
          </UnstyledButton>
        </Table.Td>
        <Table.Td>
          <Badge variant="light" color={hasFailed ? 'red' : 'teal'}>
            {outcome?.status ?? '…'}
          </Badge>
        </Table.Td>
        <Table.Td>
          <CopyMenu call={call} />
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={3} px="md">
            <Details call={call} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

const describeOutcome = (outcome: Call['outcome']): string =>
  outcome
    ? [`${Math.round(outcome.milliseconds)} ms`, ...(outcome.usage ? [outcome.usage] : [])].join(', DynamoDB: ')
    : 'under way';

const Details = ({ call: { headers, body, outcome } }: { call: Call }) => (
  <Stack gap="xs">
    {headers && <Block title="Request headers" text={formatHeaders(headers)} />}
    {body && <Block title="Request body" text={formatRequestBody(body)} />}
    <Block title="Response" text={formatResponse(outcome)} />
  </Stack>
);

const Block = ({ title, text }: { title: string; text: string }) => (
  <div>
    <Text size="sm" c="dimmed">
      {title}
    </Text>
    {/* Long lines scroll, so the keyboard must reach the block (WCAG 2.1.1). */}
    <Code block mah="16rem" tabIndex={0}>
      {text}
    </Code>
  </div>
);

function CopyMenu({ call }: { call: Call }) {
  const { copied, copy } = useClipboard();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={copied ? 'Copied' : `Copy ${call.title}`}>
          {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => copy(toCurl(call))}>Copy as curl</Menu.Item>
        <Menu.Item onClick={() => copy(toClient(call))}>Copy as client</Menu.Item>
        <Menu.Item onClick={() => copy(toFetch(call))}>Copy as fetch</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
