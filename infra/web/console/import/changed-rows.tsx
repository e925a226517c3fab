import { Paper, Table, Title } from '@mantine/core';
import type { RowChange } from '../../../transfer/service-target.ts';
import { useGroupNames } from '../groups/group-names.ts';
import { formatMember, labelMember, type Value } from '../own-fields.ts';
import { Difference } from '../user/history.tsx';

type Props = { changes: readonly RowChange[]; count: number };

/** `count`: all changed rows, of which `changes` are the first. */
export function ChangedRows({ changes, count }: Props) {
  useGroupNames(
    ...changes.flatMap(({ row, stored }) => [readMember(stored, 'groups'), readMember(row.user, 'groups')]),
  );
  if (changes.length === 0) return null;
  const title =
    count > changes.length ? `First ${changes.length} of ${count.toLocaleString('en')} changed rows` : 'Changed rows';
  const rows = changes.flatMap(({ row, stored, changed }) =>
    changed.map((name, at) => [
      at === 0 && row.line,
      at === 0 && <bdi key="name">{stored.name}</bdi>,
      labelMember(name),
      <Difference
        key="values"
        old={formatMember(name, readMember(stored, name))}
        current={formatMember(name, readMember(row.user, name))}
      />,
    ]),
  );
  return (
    <div>
      <Title order={4} size="h6" mb="xs">
        {title}
      </Title>
      <Paper component="section" withBorder mah="30vh" style={{ overflow: 'auto' }} aria-label={title} tabIndex={0}>
        <Table withRowBorders stickyHeader data={{ head: ['Line', 'User', 'Field', 'Change'], body: rows }} />
      </Paper>
    </div>
  );
}

const readMember = (user: object, name: string): Value | undefined =>
  new Map<string, Value>(Object.entries(user)).get(name);
