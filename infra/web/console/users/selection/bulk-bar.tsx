import { Button, Group, Modal, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { copyUnseen } from '../../copy-text.tsx';
import { useRestoredFocus, usersTitle } from '../../focus.ts';
import { formatCount } from '../../format.ts';
import { useStore } from '../../store.ts';
import { type BulkJob, currentJob } from './bulk-job.ts';
import { failureReport } from './failure-report.ts';

export function BulkBar() {
  const job = useStore(currentJob);
  const report = useStore(failureReport);
  return (
    <>
      {job && <Bar {...job} />}
      {report && <FailureDialog {...report} />}
    </>
  );
}

function Bar({ label, total, done, isPaused, error, pause, resume, cancel }: BulkJob) {
  useRestoredFocus(usersTitle);
  const progress = `${done.toLocaleString('en')} of ${formatCount(total, 'user')}`;
  return (
    <Group component="section" aria-label="Bulk job" pt="xs" gap="md" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" role={error ? 'alert' : undefined}>
          {error
            ? `${label} has stopped at ${progress}: ${error}`
            : `${label}${isPaused ? ', paused' : ''}: ${progress}`}
        </Text>
        <Progress size="sm" aria-label={label} value={(done * 100) / total} />
      </div>
      {/* One button in both states keeps the focus. */}
      <Button size="xs" variant={isPaused ? 'filled' : 'default'} onClick={isPaused ? resume : pause}>
        {isPaused ? 'Continue' : 'Pause'}
      </Button>
      <Button size="xs" variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  );
}

type Report = NonNullable<ReturnType<typeof failureReport.get>>;

function FailureDialog({ title, failures }: Report) {
  const text = failures.map(({ user: { id, name }, reason }) => `${id}\t${name}\t${reason}`).join('\n');
  return (
    <Modal opened onClose={() => failureReport.set(() => undefined)} title={title} size="lg" centered>
      <Stack>
        <ScrollArea.Autosize mah="60vh" viewportProps={{ tabIndex: 0, 'aria-label': 'Failures' }}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>User</Table.Th>
                <Table.Th>Reason</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {failures.map(({ user: { id, name }, reason }) => (
                <Table.Tr key={id}>
                  <Table.Td>
                    <bdi>{name}</bdi>
                  </Table.Td>
                  <Table.Td>{reason}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
        <Button ml="auto" variant="default" onClick={() => copyUnseen('the failures', text)}>
          Copy
        </Button>
      </Stack>
    </Modal>
  );
}
