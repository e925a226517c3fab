import { Button, Group, Text } from '@mantine/core';
import { IconPlug } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { panelTitle, useRestoredFocus, usersTitle } from '../focus.ts';
import { type Outage, retryNow, useOutage } from './outage.ts';

/** Tells once for the whole page that the service does not answer, and when it is asked again. */
export function OutageBanner({ isLocal }: { isLocal: boolean }) {
  const outage = useOutage();
  return outage ? <Banner {...outage} isLocal={isLocal} /> : null;
}

const REASONS = {
  unreachable: 'The service cannot be reached.',
  busy: 'The service is busy, or cannot reach its database.',
};

type Props = { reason: Outage['reason']; nextAt: number | undefined; isLocal: boolean };

function Banner({ reason, nextAt, isLocal }: Props) {
  const seconds = useSecondsUntil(nextAt);
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
      style={{ gridColumn: '1 / -1' }}
    >
      <IconPlug size={18} />
      <Text size="sm" flex={1} miw="12rem">
        {/* A screen reader would read the seconds one by one. */}
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

function useSecondsUntil(time: number | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (time === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return time === undefined ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}
