import { Alert, Button, Group, Progress, SimpleGrid, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { formatDuration } from '../../../transfer/duration.ts';
import { download } from '../download.ts';
import { formatCount } from '../format.ts';
import { PendingButton } from '../pending-button.tsx';
import { FormError } from '../user/form-messages.tsx';
import type { Import } from './job.ts';
import { createRejectedFile } from './rejected-file.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { closeImport, type ImportStatus, isActive, type ImportProgress as Progressed, startAgain } from './state.ts';

const TITLES: Record<ImportStatus, string> = {
  running: 'Importing',
  paused: 'Paused',
  stopping: 'Stopping',
  stopped: 'Stopped',
  failed: 'The import has stopped',
  done: 'Imported',
};

type Props = { current: Import; progress: Progressed };

export function ImportProgress({ current, progress }: Props) {
  const { status, part, rejected, counts, error, waitsFor } = progress;
  const heading = useRef<HTMLHeadingElement>(null);
  const hasEnded = !isActive(status);
  // The clicked button disappears at the start and the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the import moves the focus again
  useEffect(() => heading.current?.focus(), [hasEnded]);
  return (
    <Stack gap="md">
      <Title order={3} size="h5" tabIndex={-1} ref={heading}>
        {TITLES[status]} <bdi>{current.settings.source.file.name}</bdi>
      </Title>
      <VisuallyHidden role="status">{TITLES[status]}</VisuallyHidden>
      {status !== 'done' && (
        <div>
          <Progress value={part * 100} aria-label="Imported" />
          <Text size="sm" mt={4} data-testid="rate">
            {describeRate(progress)}
          </Text>
        </div>
      )}
      {waitsFor && (
        <Alert color="yellow" variant="light" role="status" title="Waiting for the service">
          {waitsFor}. The import goes on by itself.
        </Alert>
      )}
      <FormError message={error} />
      <Counts counts={counts} />
      <RejectedRows rejected={rejected} count={counts.invalid} />
      <Group justify="flex-end">
        {hasEnded ? (
          <EndButtons current={current} progress={progress} />
        ) : (
          <>
            {status === 'running' && (
              <Button variant="default" onClick={() => current.pause()}>
                Pause
              </Button>
            )}
            {status === 'paused' && <Button onClick={() => current.resume()}>Go on</Button>}
            <Button variant="default" disabled={status === 'stopping'} onClick={() => current.stop()}>
              Stop
            </Button>
          </>
        )}
        <Button variant="subtle" onClick={closeImport}>
          {hasEnded ? 'Close' : 'Hide'}
        </Button>
      </Group>
    </Stack>
  );
}

function EndButtons({ current, progress: { status, counts } }: Props) {
  const { results, settings } = current;
  const { source } = settings;
  const { name } = source.file;
  const rejected = useMutation({
    mutationFn: () => createRejectedFile(source, new Blob(results.listParts())),
    onSuccess: (parts) => download(`${name}.rejected.csv`, 'text/csv', parts),
  });
  return (
    <>
      <FormError message={rejected.error ? `The rejected rows cannot be read: ${rejected.error.message}` : undefined} />
      <Button variant="default" onClick={startAgain}>
        Import another file
      </Button>
      {counts.invalid > 0 && (
        <PendingButton variant="default" isPending={rejected.isPending} onClick={() => rejected.mutate()}>
          Download the rejected rows
        </PendingButton>
      )}
      <Button
        variant={status === 'done' ? 'filled' : 'default'}
        onClick={() => download(`${name}.results.ndjson`, 'application/x-ndjson', results.listParts())}
      >
        Download the results
      </Button>
      {status !== 'done' && <Button onClick={() => current.run()}>Continue</Button>}
    </>
  );
}

function describeRate({ rows, rate, secondsLeft, status }: Progressed): string {
  const parts = [formatCount(rows, 'row')];
  if (rate > 0) parts.push(`${Math.round(rate).toLocaleString('en')} a second`);
  if (secondsLeft !== undefined && status === 'running') parts.push(`${formatDuration(secondsLeft)} left`);
  return parts.join(', ');
}

const LABELS = [
  ['created', 'Created'],
  ['updated', 'Updated'],
  ['exists', 'Exist already'],
  ['erased', 'Erased, skipped'],
  ['invalid', 'Rejected'],
] as const;

const Counts = ({ counts }: Pick<Progressed, 'counts'>) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, xs: 4 }}>
    {LABELS.filter(([result]) => result !== 'erased' || counts.erased > 0).map(([result, label]) => (
      <div key={result}>
        <Text component="dt" size="sm" c="dimmed">
          {label}
        </Text>
        <Text component="dd" m={0} fz="h3" fw={600} data-testid={result}>
          {counts[result].toLocaleString('en')}
        </Text>
      </div>
    ))}
  </SimpleGrid>
);
