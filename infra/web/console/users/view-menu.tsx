import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Popover,
  ScrollArea,
  SegmentedControl,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import { useState } from 'react';
import { labelExport, startExport } from '../export/export.ts';
import type { Format } from '../export/user-file.ts';
import { useRoute } from '../route.ts';
import { type Column, useColumns, useDensity } from './columns.ts';

/** Lets a person choose what the list shows of users, in which order, and how high its rows are, and exports all of its pages. */
export function ViewMenu() {
  const [isOpen, setOpen] = useState(false);
  const { columns, choose } = useColumns();
  const [density, setDensity] = useDensity();
  const [moved, setMoved] = useState('');
  const show = (name: string, isShown: boolean) =>
    choose(columns.map((column) => (column.name === name ? { ...column, isShown } : column)));
  const move = (from: number, to: number) => {
    const column = columns[from];
    if (!column || to < 0 || to >= columns.length) return;
    choose(columns.toSpliced(from, 1).toSpliced(to, 0, column));
    setMoved(`${column.label} is now at ${to + 1} of ${columns.length}`);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width="min(20rem, 92vw)"
      shadow="md"
      withinPortal
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon variant="default" size="lg" title="View" aria-label="View" onClick={() => setOpen(!isOpen)}>
          <IconColumns3 size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="View">
        <Text size="sm" fw={600} id="density">
          Rows
        </Text>
        <SegmentedControl
          fullWidth
          size="xs"
          mb="sm"
          aria-labelledby="density"
          value={density}
          onChange={(value) => setDensity(value === 'compact' ? value : 'comfortable')}
          data={[
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ]}
        />
        <Text size="sm" fw={600} id="columns">
          Columns
        </Text>
        <ScrollArea.Autosize mah="min(24rem, 60vh)">
          <Stack component="ul" gap={2} m={0} p={4} aria-labelledby="columns">
            {columns.map((column, at) => (
              <Group component="li" key={column.name} gap={0} wrap="nowrap">
                <Checkbox
                  flex={1}
                  label={column.label}
                  checked={column.isShown}
                  onChange={({ currentTarget }) => show(column.name, currentTarget.checked)}
                />
                <MoveButton direction="up" column={column} isEnd={at === 0} onClick={() => move(at, at - 1)} />
                <MoveButton
                  direction="down"
                  column={column}
                  isEnd={at === columns.length - 1}
                  onClick={() => move(at, at + 1)}
                />
              </Group>
            ))}
          </Stack>
        </ScrollArea.Autosize>
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => choose([])}>
          Reset
        </Button>
        <ExportButtons onStart={() => setOpen(false)} />
        <VisuallyHidden role="status">{moved}</VisuallyHidden>
      </Popover.Dropdown>
    </Popover>
  );
}

const FORMATS = [
  { format: 'csv', name: 'CSV' },
  { format: 'ndjson', name: 'NDJSON' },
] as const;

function ExportButtons({ onStart }: { onStart: () => void }) {
  const route = useRoute();
  const label = labelExport(route);
  const start = (format: Format) => {
    startExport(route, format);
    onStart();
  };
  return (
    <>
      <Text size="sm" fw={600} mt="sm" mb={4}>
        {label}
      </Text>
      <Group gap="xs">
        {FORMATS.map(({ format, name }) => (
          <Button
            key={format}
            size="compact-sm"
            variant="default"
            aria-label={`${label} as ${name}`}
            onClick={() => start(format)}
          >
            {name}
          </Button>
        ))}
      </Group>
    </>
  );
}

type MoveProps = { direction: 'up' | 'down'; column: Column; isEnd: boolean; onClick: () => void };

/** The button is not disabled at the end of the list, where it would lose the focus. */
const MoveButton = ({ direction, column, isEnd, onClick }: MoveProps) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={`Move ${column.label} ${direction}`}
    aria-disabled={isEnd || undefined}
    opacity={isEnd ? 0.4 : 1}
    onClick={onClick}
  >
    {direction === 'up' ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
  </ActionIcon>
);
