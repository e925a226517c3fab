import { Alert, Button, Group, Progress, SimpleGrid, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { formatDuration } from '../../../transfer/duration.ts';
import { download } from '../download.ts';
import { formatCount } from '../format.ts';
import { notifyFailure } from '../notices.tsx';
import { continueImport, listRejectedParts, listResultParts, pauseImport, resumeImport, stopImport } from './job.ts';
import { RejectedRows } from './rejected-rows.tsx';
import type { Job, JobStatus } from './state.ts';

const TITLES: Record<JobStatus, string> = {
  running: 'Importing',
  paused: 'Paused',
  stopping: 'Stopping',
  stopped: 'Stopped',
  failed: 'The import has stopped',
  done: 'Imported',
};

type Props = { job: Job; onClose: () => void; onRestart: () => void };

export function ImportProgress({ job, onClose, onRestart }: Props) {
  const { status, fileName, part, rejected, counts, error, waitsFor } = job;
  const isActive = status === 'running' || status === 'paused' || status === 'stopping';
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was clicked last is gone.
  useEffect(() => {
    if (!isActive) heading.current?.focus();
  }, [isActive]);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Stack gap="md">
      <Title order={3} size="h5" tabIndex={-1} ref={heading}>
        {TITLES[status]} <bdi>{fileName}</bdi>
      </Title>
      <VisuallyHidden role="status">{TITLES[status]}</VisuallyHidden>
      {status !== 'done' && (
        <div>
          <Progress value={part * 100} aria-label="Imported" />
          <Text size="sm" mt={4} data-testid="rate">
            {describeRate(job)}
          </Text>
        </div>
      )}
      {waitsFor && (
        <Alert color="yellow" variant="light" role="status" title="Waiting for the service">
          {waitsFor}. The import goes on by itself.
        </Alert>
      )}
      {error && (
        <Alert color="red" variant="light" role="alert">
          {error}
        </Alert>
      )}
      <Counts counts={counts} />
      <RejectedRows rejected={rejected} count={counts.invalid} />
      <Group justify="flex-end">
        {status === 'running' && (
          <Button variant="default" onClick={pauseImport}>
            Pause
          </Button>
        )}
        {status === 'paused' && <Button onClick={resumeImport}>Go on</Button>}
        {isActive && (
          <Button variant="default" disabled={status === 'stopping'} onClick={stopImport}>
            Stop
          </Button>
        )}
        {!isActive && (
          <Button variant="default" onClick={onRestart}>
            Import another file
          </Button>
        )}
        {!isActive && counts.invalid > 0 && <RejectedButton fileName={fileName} />}
        {!isActive && (
          <Button
            variant={status === 'done' ? 'filled' : 'default'}
            onClick={() => download(`${fileName}.results.ndjson`, 'application/x-ndjson', listResultParts())}
          >
            Download the results
          </Button>
        )}
        {(status === 'stopped' || status === 'failed') && <Button onClick={continueImport}>Continue</Button>}
        <Button variant="subtle" onClick={onClose}>
          {isActive ? 'Hide' : 'Close'}
        </Button>
      </Group>
    </Stack>
  );
}

function RejectedButton({ fileName }: { fileName: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: listRejectedParts,
    onSuccess: (parts) => download(`${fileName}.rejected.csv`, 'text/csv', parts),
    onError: (error) => notifyFailure({ message: `${fileName} cannot be read again`, name: fileName }, error),
  });
  return (
    <Button variant="default" loading={isPending} onClick={() => mutate()}>
      Download the rejected rows
    </Button>
  );
}

function describeRate({ rows, rate, secondsLeft, status }: Job): string {
  const parts = [formatCount(rows, 'row')];
  if (rate > 0) parts.push(`${Math.round(rate).toLocaleString('en')} a second`);
  if (secondsLeft !== undefined && status === 'running') parts.push(`${formatDuration(secondsLeft)} left`);
  return parts.join(', ');
}

const LABELS = { created: 'Created', updated: 'Updated', exists: 'Exist already', invalid: 'Rejected' } as const;

const Counts = ({ counts }: Pick<Job, 'counts'>) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, xs: 4 }}>
    {(['created', 'updated', 'exists', 'invalid'] as const).map((result) => (
      <div key={result}>
        <Text component="dt" size="sm" c="dimmed">
          {LABELS[result]}
        </Text>
        <Text component="dd" m={0} fz="h3" fw={600} data-testid={result}>
          {counts[result].toLocaleString('en')}
        </Text>
      </div>
    ))}
  </SimpleGrid>
);
