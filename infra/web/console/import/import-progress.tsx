import { Button, Group, SimpleGrid, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Counts } from '../../../transfer/import-rows.ts';
import { download } from '../download.ts';
import { JobButtons, JobProgress } from '../job-bar.tsx';
import { type Job, jobs } from '../jobs.ts';
import { PendingButton } from '../pending-button.tsx';
import { useStore } from '../store.ts';
import { FormError } from '../user/form-messages.tsx';
import { createRejectedFile } from './rejected-file.ts';
import { RejectedRows } from './rejected-rows.tsx';
import { type CurrentImport, closeImport, findImport, startAgain } from './state.ts';

const TITLES: Record<Job['status'], string> = {
  running: 'Importing',
  paused: 'Paused',
  stopping: 'Stopping',
  stopped: 'Stopped',
  failed: 'The import has stopped',
  done: 'Imported',
};

type Props = { current: CurrentImport; ended?: Job };

export function ImportProgress({ current, ended }: Props) {
  const job = findImport(useStore(jobs)) ?? ended;
  const heading = useRef<HTMLHeadingElement>(null);
  const status = job?.status ?? 'running';
  const hasEnded = status === 'stopped' || status === 'failed' || status === 'done';
  // The clicked button disappears at the start and the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the import moves the focus again
  useEffect(() => heading.current?.focus(), [hasEnded]);
  const { counts, rejected } = current.results;
  return (
    <Stack gap="md">
      <Title order={3} size="h5" tabIndex={-1} ref={heading}>
        {TITLES[status]} <bdi>{current.source.file.name}</bdi>
      </Title>
      <VisuallyHidden role="status">{TITLES[status]}</VisuallyHidden>
      {job && status !== 'done' && (
        <div>
          <JobProgress job={job} />
        </div>
      )}
      <CountList counts={counts} />
      <RejectedRows rejected={rejected} count={counts.invalid} />
      <Group justify="flex-end">
        {job && (hasEnded ? <EndButtons current={current} job={job} /> : <JobButtons job={job} />)}
        <Button variant="subtle" onClick={closeImport}>
          {hasEnded ? 'Close' : 'Hide'}
        </Button>
      </Group>
    </Stack>
  );
}

function EndButtons({
  current: { source, results, run },
  job: { status, resume },
}: {
  current: CurrentImport;
  job: Job;
}) {
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
      {results.counts.invalid > 0 && (
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
      {status !== 'done' && <Button onClick={status === 'failed' ? resume : run}>Continue</Button>}
    </>
  );
}

const LABELS = [
  ['created', 'Created'],
  ['updated', 'Updated'],
  ['unchanged', 'Unchanged'],
  ['exists', 'Exist already'],
  ['erased', 'Erased, skipped'],
  ['invalid', 'Rejected'],
] as const;

function CountList({ counts }: { counts: Counts }) {
  const shown = LABELS.filter(([result]) => result !== 'erased' || counts.erased > 0);
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 2, xs: shown.length }}>
      {shown.map(([result, label]) => (
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
}
