import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useRestoredFocus } from '../focus.ts';
import { PlugIcon } from '../icons.tsx';
import { useStore } from '../store.ts';
import { type Outage, outage, retryNow } from './outage.ts';

/** Tells once for the whole page that the service does not answer, and when it is asked again. */
export function OutageBanner({ isLocal }: { isLocal: boolean }) {
  const current = useStore(outage);
  useRecovery();
  return current ? <Banner reason={current.reason} nextAt={current.nextAt} isLocal={isLocal} /> : null;
}

const REASONS = {
  unreachable: 'The service cannot be reached.',
  busy: 'The service is busy, or cannot reach its database.',
};

type Props = Outage & { isLocal: boolean };

function Banner({ reason, nextAt, isLocal }: Props) {
  const seconds = useSecondsUntil(nextAt);
  useRestoredFocus('.users-title', '.panel-title');
  return (
    <section className="outage" aria-label="Outage">
      <PlugIcon />
      <p>
        {/* A screen reader would read the seconds one by one. */}
        <span role="alert">
          {REASONS[reason]} {isLocal && reason === 'unreachable' && 'It is started with npm start. '}
        </span>
        <span className="outage-next">
          {seconds === undefined ? 'Trying to reach it…' : `Next attempt in ${seconds} s.`}
        </span>
      </p>
      <Button size="compact-sm" variant="default" aria-disabled={seconds === undefined} onClick={retryNow}>
        Try now
      </Button>
    </section>
  );
}

/** What has failed meanwhile is read again, without a click. */
function useRecovery(): void {
  const queryClient = useQueryClient();
  useEffect(
    () =>
      outage.subscribe(() => {
        if (!outage.get())
          queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
      }),
    [queryClient],
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
