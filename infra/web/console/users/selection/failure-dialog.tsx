import { Button, Modal, ScrollArea, Stack, Table } from '@mantine/core';
import { copyUnseen } from '../../copy-text.tsx';
import { failureReport, type Report } from './failure-report.ts';

export function FailureDialog({ title, failures }: Report) {
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
