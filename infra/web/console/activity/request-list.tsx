import { Accordion, ActionIcon, Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type Call, calls, hasFailed } from '../api/calls.ts';
import { CodeBlock } from '../code-block.tsx';
import { useCopy } from '../copy-text.tsx';
import { formatCount } from '../format.ts';
import { useStore } from '../store.ts';
import { formatHeaders, formatRequestBody, formatResponse, toClient, toCurl, toFetch } from './call-text.ts';

export function RequestList() {
  const all = useStore(calls);
  return (
    <>
      <Group px="md" py="xs" justify="space-between">
        <Text size="sm">{formatCount(all.length, 'call')}, latest first</Text>
        <Button size="compact-sm" variant="default" onClick={() => calls.set(() => [])}>
          Clear
        </Button>
      </Group>
      <Accordion multiple keepMounted={false} chevronPosition="left">
        {all.map((call) => (
          <Accordion.Item key={call.number} value={String(call.number)}>
            <Group gap="xs" pr="sm" wrap="nowrap">
              <Accordion.Control miw={0} styles={{ label: { paddingBlock: 6 } }}>
                <CallSummary call={call} />
              </Accordion.Control>
              <CopyMenu call={call} />
            </Group>
            <Accordion.Panel>
              <CallDetails call={call} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </>
  );
}

function CallSummary({ call }: { call: Call }) {
  const { title, outcome } = call;
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap">
      <Stack gap={0} miw={0}>
        <Text size="sm" ff="monospace" truncate>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {describeOutcome(outcome)}
        </Text>
      </Stack>
      <Badge variant="light" color={hasFailed(call) ? 'red' : 'teal'} flex="none">
        {outcome?.status ?? '…'}
      </Badge>
    </Group>
  );
}

const describeOutcome = (outcome: Call['outcome']): string =>
  outcome
    ? [`${Math.round(outcome.milliseconds)} ms`, ...(outcome.usage ? [outcome.usage] : [])].join(', DynamoDB: ')
    : 'under way';

const CallDetails = ({ call: { headers, body, outcome } }: { call: Call }) => (
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
    <CodeBlock label={title}>{text}</CodeBlock>
  </div>
);

const FORMATS = [
  { name: 'curl', write: toCurl },
  { name: 'client', write: toClient },
  { name: 'fetch', write: toFetch },
];

function CopyMenu({ call }: { call: Call }) {
  const { copied, copy } = useCopy('the request');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={copied ? 'Copied' : `Copy ${call.title}`}>
          {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(({ name, write }) => (
          <Menu.Item key={name} onClick={() => copy(write(call))}>
            Copy as {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
