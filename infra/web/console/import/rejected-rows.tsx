import { Paper, Table, Text, Title } from '@mantine/core';
import { MAX_SHOWN, type Rejected } from './results.ts';

type Props = { rejected: readonly Rejected[]; count: number };

export function RejectedRows({ rejected, count }: Props) {
  if (count === 0) return null;
  const rows = rejected.flatMap(({ line, issues }) => issues.map(({ column, message }) => [line, column, message]));
  return (
    <div>
      <Title order={4} size="h6" mb="xs">
        Rows that are rejected
      </Title>
      <Paper
        component="section"
        withBorder
        mah="30vh"
        style={{ overflow: 'auto' }}
        aria-label="Rows that are rejected"
        tabIndex={0}
      >
        <Table withRowBorders stickyHeader data={{ head: ['Line', 'Column', 'Reason'], body: rows }} />
      </Paper>
      {count > MAX_SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          These are the first {MAX_SHOWN} of {count.toLocaleString('en')}. The results of the import have all.
        </Text>
      )}
    </div>
  );
}
