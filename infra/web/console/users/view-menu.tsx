import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Popover,
  ScrollArea,
  Switch,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import { useState } from 'react';
import { useColumns, useDensity } from './columns.ts';
import { SavedViews } from './saved-views.tsx';
import classes from './toolbar.module.css';

export function ViewMenu() {
  const [isOpen, { toggle, close, set }] = useDisclosure();
  const [density, setDensity] = useDensity();
  return (
    <Popover
      opened={isOpen}
      onChange={set}
      position="bottom-end"
      width="min(20rem, 92vw)"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button variant="default" px="xs" aria-label="View" onClick={toggle}>
          <IconColumns3 size={18} aria-hidden="true" />
          <span className={classes.label}>View</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="View">
        <SavedViews onShow={close} />
        <Switch
          mb="sm"
          label="Compact rows"
          checked={density === 'compact'}
          onChange={({ currentTarget }) => setDensity(currentTarget.checked ? 'compact' : 'comfortable')}
        />
        <ColumnChoice />
      </Popover.Dropdown>
    </Popover>
  );
}

const DIRECTIONS = [
  { direction: 'up', step: -1, Icon: IconChevronUp },
  { direction: 'down', step: 1, Icon: IconChevronDown },
];

function ColumnChoice() {
  const { columns, choose } = useColumns();
  const [moved, setMoved] = useState('');
  const show = (names: string[]) => choose(columns.map(({ name }) => ({ name, isShown: names.includes(name) })));
  return (
    <>
      <Checkbox.Group
        label="Columns"
        value={columns.filter(({ isShown }) => isShown).map(({ name }) => name)}
        onChange={show}
      >
        <ScrollArea.Autosize mah="min(24rem, 32vh)">
          {columns.map((column, from) => (
            <Group key={column.name} gap={0} p={2} wrap="nowrap">
              <Checkbox flex={1} value={column.name} label={column.label} />
              {DIRECTIONS.map(({ direction, step, Icon }) => {
                const to = from + step;
                const isEnd = to < 0 || to === columns.length;
                const move = () => {
                  choose(columns.toSpliced(from, 1).toSpliced(to, 0, column));
                  setMoved(`${column.label} is now at ${to + 1} of ${columns.length}`);
                };
                return (
                  <Tooltip key={direction} label={`Move ${column.label} ${direction}`}>
                    <ActionIcon
                      aria-label={`Move ${column.label} ${direction}`}
                      // A disabled button would lose the focus.
                      aria-disabled={isEnd || undefined}
                      opacity={isEnd ? 0.4 : 1}
                      onClick={isEnd ? undefined : move}
                    >
                      <Icon size={16} />
                    </ActionIcon>
                  </Tooltip>
                );
              })}
            </Group>
          ))}
        </ScrollArea.Autosize>
      </Checkbox.Group>
      <Button size="compact-sm" variant="default" mt="xs" onClick={() => choose([])}>
        Reset
      </Button>
      <VisuallyHidden role="status">{moved}</VisuallyHidden>
    </>
  );
}
