import { Button, Group, Text } from '@mantine/core';
import { useForceUpdate, useInterval } from '@mantine/hooks';
import { IconPlug } from '@tabler/icons-react';
import { panelTitle, useRestoredFocus, usersTitle } from '../focus.ts';
import { type Outage, retryNow, useOutage } from './outage.ts';

export function OutageBanner({ isLocal }: { isLocal: boolean }) {
  const outage = useOutage();
  return outage ? <Banner {...outage} isLocal={isLocal} /> : null;
}

const REASONS = {
  offline: 'This browser is offline. The list may be out of date.',
  unreachable: 'The service cannot be reached.',
  busy: 'The service is busy, or cannot reach its database.',
};

type Props = { reason: Outage['reason']; nextAt: number | undefined; isLocal: boolean };

function Banner({ reason, nextAt, isLocal }: Props) {
  useInterval(useForceUpdate(), 1000, { autoInvoke: true });
  const seconds = nextAt && Math.max(0, Math.ceil((nextAt - Date.now()) / 1000));
  useRestoredFocus(usersTitle, panelTitle);
  return (
    <Group
      component="section"
      aria-label="Outage"
      gap="xs"
      px="md"
      py={6}
      bg="light-dark(#fff6db, #3a2f10)"
      c="light-dark(#5c3d00, #ffe3a3)"
    >
      <IconPlug size={18} />
      <Text size="sm" flex={1} miw="12rem">
        {/* A screen reader would read the countdown every second. */}
        <span role="alert">
          {REASONS[reason]} {isLocal && reason === 'unreachable' && 'It is started with npm start. '}
        </span>
        <span>{seconds === undefined ? 'Trying to reach it…' : `Next attempt in ${seconds} s.`}</span>
      </Text>
      <Button size="compact-sm" variant="default" aria-disabled={seconds === undefined} onClick={retryNow}>
        Try now
      </Button>
    </Group>
  );
}
