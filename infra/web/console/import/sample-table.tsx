import { Box, NativeSelect, Paper, Table, Text } from '@mantine/core';
import { Fragment } from 'react';
import { nameColumns } from '../../../transfer/csv.ts';
import type { RowIssue } from '../../../transfer/rows.ts';
import type { Sample } from '../../../transfer/sample.ts';
import { listFields, type Mapping, previewCell, type ValueOptions } from './mapping.ts';
import type { Rejected } from './results.ts';

const SHOWN_ROWS = 20;

type Props = {
  sample: Sample;
  mapping: Mapping;
  rejected: readonly Rejected[];
  values: ValueOptions;
  onChange: (mapping: Mapping) => void;
};

export function SampleTable({ sample, mapping, rejected, values, onChange }: Props) {
  const fields = [{ value: '', label: 'Leave out' }, ...listFields(sample)];
  const names = nameColumns(sample.columns);
  const issuesByLine = new Map(rejected.map(({ line, issues }) => [line, issues]));
  /** Most issues name the column. A duplicate of an earlier row names the field. */
  const findIssue = (line: number, at: number) => {
    const field = mapping[at];
    if (!field) return undefined;
    const isHere = ({ column = '' }: RowIssue) =>
      [names[at], field].some((name) => column === name || column.startsWith(`${name}.`));
    return issuesByLine.get(line)?.find(isHere)?.message;
  };
  const getStyle = (at: number) => (mapping[at] ? {} : { c: 'dimmed', td: 'line-through' });
  const head = names.map((name, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity besides their position
    <Box key={at} miw="9rem">
      <Text {...getStyle(at)} size="sm" fw={600} mb={4} maw="16rem" truncate>
        {name}
      </Text>
      <NativeSelect
        size="xs"
        aria-label={`Field of the column ${name}`}
        value={mapping[at] ?? ''}
        data={fields}
        onChange={({ currentTarget }) => onChange(mapping.with(at, currentTarget.value))}
      />
    </Box>
  ));
  const body = sample.rows.slice(0, SHOWN_ROWS).map(({ line, cells }) => [
    <Text
      key="line"
      size="sm"
      {...(issuesByLine.has(line) ? { c: 'var(--mantine-color-error)', fw: 700 } : { c: 'dimmed' })}
    >
      {line}
    </Text>,
    ...cells.map((cell, at) => {
      const issue = findIssue(line, at);
      const stored = sample.format === 'CSV' ? previewCell(cells, at, mapping, values) : undefined;
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell has the position of its column
        <Fragment key={at}>
          <Text
            component="bdi"
            {...getStyle(at)}
            size="sm"
            maw="16rem"
            lineClamp={2}
            style={{ overflowWrap: 'anywhere' }}
          >
            {cell}
          </Text>
          {stored && (
            <Text size="xs" c="dimmed">
              Stored: <bdi>{stored}</bdi>
            </Text>
          )}
          {issue && (
            <Text size="xs" c="var(--mantine-color-error)">
              {issue}
            </Text>
          )}
        </Fragment>
      );
    }),
  ]);
  return (
    <Paper component="section" withBorder mah="40vh" style={{ overflow: 'auto' }} aria-label="First rows of the file">
      <Table withRowBorders stickyHeader data={{ head: ['Line', ...head], body }} />
    </Paper>
  );
}
