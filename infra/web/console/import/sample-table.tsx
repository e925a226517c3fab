import { NativeSelect, Table } from '@mantine/core';
import type { Sample } from '../../../transfer/sample.ts';
import type { Mapping } from './mapping.ts';
import type { Rejected } from './result-log.ts';

type Props = {
  sample: Sample;
  mapping: Mapping;
  fields: { value: string; label: string }[];
  rejected: readonly Rejected[];
  onChange: (mapping: Mapping) => void;
};

/** The first rows of a file. Above each column is the field that it stands for; cells with a fault are marked. */
export function SampleTable({ sample, mapping, fields, rejected, onChange }: Props) {
  const faults = new Map(rejected.map(({ line, issues }) => [line, issues]));
  /** A value that an earlier row has is a fault of its field, others are those of a column. */
  const findFault = (line: number, at: number) =>
    faults.get(line)?.find(({ column = '' }) => {
      const [name = ''] = column.split('.');
      return name !== '' && [sample.columns[at], mapping[at]].includes(name);
    })?.message;
  return (
    // The columns of a file may need more room than there is.
    <section className="import-sample" aria-label="First rows of the file">
      <Table withRowBorders stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            {sample.columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity, and their names may repeat
              <Table.Th key={at} data-ignored={mapping[at] === '' || undefined}>
                <span className="import-column">{column}</span>
                <NativeSelect
                  size="xs"
                  aria-label={`Field of the column ${column}`}
                  value={mapping[at] ?? ''}
                  data={[{ value: '', label: 'Leave out' }, ...fields]}
                  onChange={({ currentTarget }) => onChange(mapping.with(at, currentTarget.value))}
                />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sample.rows.map(({ line, cells }) => (
            <Table.Tr key={line} data-rejected={faults.has(line) || undefined}>
              <Table.Td>{line}</Table.Td>
              {cells.map((cell, at) => {
                const fault = findFault(line, at);
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are those of the columns
                  <Table.Td key={at} data-ignored={mapping[at] === '' || undefined}>
                    <bdi className="import-cell">{cell}</bdi>
                    {fault && <span className="import-fault">{fault}</span>}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
