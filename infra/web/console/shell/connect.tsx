import { Button, Popover, Stack, Text } from '@mantine/core';
import { PlugIcon } from '../icons.tsx';
import type { ConsoleSettings } from '../settings.ts';
import { CopyText } from './copy-text.tsx';

const APIS = [
  { label: 'REST, enveloped', path: '/api/users' },
  { label: 'REST, bare, with page numbers', path: '/v1/users' },
  { label: 'GraphQL and subscriptions', path: '/graphql' },
];

/** The addresses of the APIs, to be copied into other clients. */
export const Connect = ({ settings: { data } }: { settings: ConsoleSettings }) => (
  <Popover position="bottom-end" width="min(26rem, 92vw)" shadow="md" withinPortal trapFocus>
    <Popover.Target>
      <Button className="connect" variant="default" size="xs" leftSection={<PlugIcon size={15} />} aria-label="Connect">
        <span>Connect</span>
      </Button>
    </Popover.Target>
    <Popover.Dropdown aria-label="Addresses of the APIs">
      <Stack gap="sm">
        {APIS.map(({ label, path }) => (
          <div key={path}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            <CopyText text={`${location.origin}${path}`} label={`Copy the address of ${path}`} />
          </div>
        ))}
        {data && (
          <div>
            <Text size="sm" c="dimmed">
              Data
            </Text>
            <code>{data}</code>
          </div>
        )}
      </Stack>
    </Popover.Dropdown>
  </Popover>
);
