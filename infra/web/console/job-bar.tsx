import { Button, Group, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRestoredFocus, usersTitle } from './focus.ts';
import { formatCount } from './format.ts';
import type { Job } from './jobs.ts';
import { Warning } from './user/form-messages.tsx';

export function JobBar({ job, children }: { job: Job; children: ReactNode }) {
  useRestoredFocus(usersTitle);
  return (
    <Group component="section" aria-label={job.kind} pt="xs" gap="md" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0 }}>
        <JobProgress job={job} />
      </div>
      {children}
      <JobButtons job={job} size="xs" />
    </Group>
  );
}

export function JobProgress({ job: { label, status, done, total, noun, part, note, waitsFor, error } }: { job: Job }) {
  const count =
    total === undefined ? formatCount(done, noun) : `${done.toLocaleString('en')} of ${formatCount(total, noun)}`;
  const share = part ?? (total === undefined ? undefined : done / total);
  const isRunning = status === 'running';
  return (
    <>
      {waitsFor && <Warning>Waiting for the service: {waitsFor}. The work goes on by itself.</Warning>}
      <Text size="sm" role={error ? 'alert' : undefined}>
        {error
          ? `${label} has stopped at ${count}: ${error}`
          : `${label}${isRunning ? '' : `, ${status}`}: ${count}${isRunning && note ? `, ${note}` : ''}`}
      </Text>
      <Progress
        size="sm"
        aria-label={label}
        animated={isRunning && share === undefined}
        value={Math.min(1, share ?? 1) * 100}
      />
    </>
  );
}

export function JobButtons({ job: { status, pause, resume, cancel }, size = 'sm' }: { job: Job; size?: 'xs' | 'sm' }) {
  const isWaiting = status === 'paused' || status === 'failed';
  return (
    <>
      {/* One button in both states keeps the focus. */}
      <Button size={size} variant={isWaiting ? 'filled' : 'default'} onClick={isWaiting ? resume : pause}>
        {isWaiting ? 'Continue' : 'Pause'}
      </Button>
      <Button size={size} variant="default" onClick={cancel}>
        Cancel
      </Button>
    </>
  );
}
