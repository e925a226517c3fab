import { Paper, Table, Text, Title } from '@mantine/core';
import { MAX_SHOWN, type Rejected } from './result-log.ts';

type Props = { rejected: readonly Rejected[]; count: number };

/** Lists the first rows that are rejected, with column and reason of each fault. */
export function RejectedRows({ rejected, count }: Props) {
  if (count === 0) return null;
  return (
    <div>
      <Title order={4} size="h6" mb="xs">
        Rows that are rejected
      </Title>
      {/* What scrolls must be reached by keyboard. */}
      <Paper
        component="section"
        withBorder
        mah="30vh"
        style={{ overflow: 'auto' }}
        aria-label="Rows that are rejected"
        tabIndex={0}
      >
        <Table withRowBorders stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Line</Table.Th>
              <Table.Th>Column</Table.Th>
              <Table.Th>Reason</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rejected.flatMap(({ line, issues }) =>
              issues.map(({ column, message }) => (
                <Table.Tr key={`${line} ${column} ${message}`}>
                  <Table.Td>{line}</Table.Td>
                  <Table.Td>{column ?? ''}</Table.Td>
                  <Table.Td>{message}</Table.Td>
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </Table>
      </Paper>
      {count > MAX_SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          These are the first {MAX_SHOWN} of {count.toLocaleString('en')}. The results of the import have all.
        </Text>
      )}
    </div>
  );
}
