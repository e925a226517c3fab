import { Button, Modal, ScrollArea, Stack, Table } from '@mantine/core';
import type { Failure } from '../../api/selected-users.ts';
import { copyUnseen } from '../../copy-text.tsx';
import { notify } from '../../notices.tsx';
import { createStore, useStore } from '../../store.ts';

type Report = { title: string; failures: readonly Failure[] };

const failureReport = createStore<Report | undefined>(undefined);

const MAX_NAMES = 5;

export function reportFailures(problem: string, failures: readonly Failure[]): void {
  if (failures.length === 0) return;
  notify({
    message: `${problem}: ${describe(failures)}`,
    tone: 'error',
    action: { label: 'Show', run: () => failureReport.set(() => ({ title: problem, failures })) },
  });
}

function describe(failures: readonly Failure[]): string {
  const named = failures.slice(0, MAX_NAMES).map(({ user: { name }, reason }) => `${name}: ${reason}`);
  const others = failures.length - named.length;
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ');
}

export function FailureDialog() {
  const report = useStore(failureReport);
  return report && <Failures {...report} />;
}

function Failures({ title, failures }: Report) {
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
