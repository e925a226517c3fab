import {
  Alert,
  Button,
  CloseButton,
  Group,
  Menu,
  Popover,
  Stack,
  Text,
  TextInput,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useRef } from 'react';
import type { OwnField, Scalar } from '../../../../lib/users/fields/declaration.ts';
import { useRestoredFocus, usersTitle } from '../focus.ts';
import { daysAgo, toDayInput, toLocalInput } from '../format.ts';
import { useGroupNames } from '../groups/group-names.ts';
import { lazyPart } from '../lazy-part.tsx';
import { offer } from '../offer.ts';
import { findMembershipField, formatValue, labelMember, nameGroup } from '../own-fields.ts';
import { type Route, showList, useRoute } from '../route.ts';
import {
  changeBounds,
  changeFilter,
  endOfDay,
  firstDay,
  formatFilterValue,
  formatPeriod,
  formatSince,
  hoursAgo,
  isFilterable,
  isRanged,
  lastDay,
  listChoices,
  listOfferedFields,
  listRanges,
  listUnknown,
  readTime,
  startOfDay,
} from './filter.ts';
import classes from './filter-bar.module.css';

export function FilterBar() {
  const route = useRoute();
  return (
    <Group component="section" className={classes.bar} gap={6} pb={10} aria-label="Filters">
      {findMembershipField() && <GroupChip route={route} />}
      {listOfferedFields().map((field) => (
        <FieldChip key={field.name} field={field} route={route} />
      ))}
      {listRanges(route.filter).map(({ text, names }) => (
        <Chip
          key={names[0]}
          label={text}
          value={text}
          button={usersTitle}
          onRemove={() => changeFilter(route, Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          <Text span className={classes.range}>
            <bdi>{text}</bdi>
          </Text>
        </Chip>
      ))}
      <CreatedChip route={route} />
      {offer.get().changes !== 'none' && <ChangedChip route={route} />}
      {Object.keys(route.filter).length > 1 && <ClearButton />}
    </Group>
  );
}

export function UnknownFilters() {
  const route = useRoute();
  const names = listUnknown(route.filter);
  return names.length > 0 && <UnknownFilter route={route} names={names} />;
}

function UnknownFilter({ route, names }: ChipProps & { names: string[] }) {
  useRestoredFocus(usersTitle);
  const remove = () => changeFilter(route, Object.fromEntries(names.map((name) => [name, undefined])));
  return (
    <Alert color="yellow" role="status" p="xs" mb="xs">
      <Group gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          The list ignores an unknown filter of this link: <bdi>{names.join(', ')}</bdi>
        </Text>
        <Button size="compact-sm" variant="default" onClick={remove}>
          Remove
        </Button>
      </Group>
    </Alert>
  );
}

function ClearButton() {
  useRestoredFocus(usersTitle);
  return (
    <Button variant="subtle" size="compact-sm" flex="none" onClick={() => showList({ filter: {} })}>
      Clear filters
    </Button>
  );
}

type ChipProps = { route: Route };

function FieldChip({ field, route }: ChipProps & { field: OwnField }) {
  const { name, type } = field;
  const choices = listChoices(field);
  const value = route.filter[name];
  const chip = {
    label: labelMember(name),
    value: value === undefined ? undefined : formatFilterValue(field, value),
    onRemove: () => changeFilter(route, { [name]: undefined }),
  };
  const apply = (values: string | string[]) => changeFilter(route, { [name]: values });
  if (choices)
    return <ChoiceChip {...chip} field={field} choices={choices} chosen={[value ?? []].flat()} onChoose={apply} />;
  const hasBounds = isRanged(field);
  const applyForm = (data: FormData) => {
    const [text = '', from = '', to = ''] = ['value', 'from', 'to'].map((key) => String(data.get(key) ?? ''));
    changeFilter(route, { [name]: text, ...(hasBounds ? changeBounds(name, from, to) : {}) });
  };
  return (
    <FormChip {...chip} onApply={applyForm}>
      {isFilterable(field) && (
        <TextInput
          name="value"
          label={chip.label}
          description={type === 'string' && (field.list ? 'One whole item of the list.' : 'The whole value.')}
          defaultValue={[value ?? ''].flat()[0]}
          autoComplete="off"
          required={!hasBounds}
          withAsterisk={false}
          data-autofocus
          {...inputProps(field)}
        />
      )}
      {hasBounds &&
        (['gte', 'lte'] as const).map((operator) => (
          <TextInput
            key={operator}
            name={operator === 'gte' ? 'from' : 'to'}
            label={operator === 'gte' ? 'From' : 'To'}
            defaultValue={route.filter[`${name}.${operator}`]?.toString()}
            autoComplete="off"
            data-autofocus={(operator === 'gte' && !isFilterable(field)) || undefined}
            {...inputProps(field)}
          />
        ))}
    </FormChip>
  );
}

function inputProps({ type, maxLength = 256, unique }: OwnField) {
  switch (type) {
    case 'date':
      return { type: 'date', max: '9999-12-31' };
    case 'integer':
      return { inputMode: 'numeric' as const, pattern: '-?[0-9]{1,10}', title: 'A whole number' };
    case 'number':
      return { inputMode: 'decimal' as const, pattern: '-?[0-9]+([.][0-9]+)?', title: 'A number' };
    default:
      // The API counts characters. Browsers count UTF-16 code units, up to two per character.
      return { maxLength: 2 * (unique ? maxLength : Math.min(maxLength, 64)) };
  }
}

const GroupFilter = lazyPart(async () => (await import('../groups/group-filter.tsx')).GroupFilter);

function GroupChip({ route }: ChipProps) {
  const [group, role] = [route.filter.group?.toString(), route.filter.role?.toString()];
  useGroupNames(group ? [{ id: group }] : null);
  const apply = (data: FormData) => {
    const [group, role] = ['group', 'role'].map((name) => String(data.get(name) ?? ''));
    changeFilter(route, { group, role: group && role });
  };
  return (
    <FormChip
      label="Group"
      value={group && [nameGroup(group), role].filter(Boolean).join(', ')}
      onRemove={() => changeFilter(route, { group: undefined, role: undefined })}
      onApply={apply}
    >
      <GroupFilter group={group} role={role} />
    </FormChip>
  );
}

function CreatedChip({ route }: ChipProps) {
  const [createdAfter, createdBefore] = [
    readTime(route.filter, 'createdAfter'),
    readTime(route.filter, 'createdBefore'),
  ];
  const apply = (from: string, to: string) =>
    changeFilter(route, {
      createdAfter: from ? startOfDay(from) : undefined,
      createdBefore: to ? endOfDay(to) : undefined,
    });
  return (
    <FormChip
      label="Created"
      value={formatPeriod(route.filter)}
      onRemove={() => changeFilter(route, { createdAfter: undefined, createdBefore: undefined })}
      onApply={(data) => apply(String(data.get('from')), String(data.get('to')))}
      shortcuts={[
        { label: 'Today', apply: () => apply(toDayInput(daysAgo(0)), '') },
        { label: 'Last 7 days', apply: () => apply(toDayInput(daysAgo(6)), '') },
        { label: 'Last 30 days', apply: () => apply(toDayInput(daysAgo(29)), '') },
      ]}
    >
      <TextInput
        type="date"
        name="from"
        label="First day"
        max="9999-12-31"
        defaultValue={createdAfter ? toDayInput(firstDay(createdAfter)) : ''}
        data-autofocus
      />
      <TextInput
        type="date"
        name="to"
        label="Last day"
        max="9999-12-31"
        defaultValue={createdBefore ? toDayInput(lastDay(createdBefore)) : ''}
      />
    </FormChip>
  );
}

function ChangedChip({ route }: ChipProps) {
  const changedSince = readTime(route.filter, 'changedSince');
  const apply = (time: string) => changeFilter(route, { changedSince: time });
  return (
    <FormChip
      label="Changed"
      value={formatSince(route.filter)}
      onRemove={() => changeFilter(route, { changedSince: undefined })}
      onApply={(data) => apply(new Date(String(data.get('since'))).toISOString())}
      shortcuts={[
        { label: 'Last hour', apply: () => apply(hoursAgo(1)) },
        { label: 'Last 24 hours', apply: () => apply(hoursAgo(24)) },
      ]}
    >
      <TextInput
        type="datetime-local"
        name="since"
        label="Changed since"
        description="Changes of the last 25 hours are known, or more if the service keeps histories."
        max="9999-12-31T23:59"
        // Browsers reject times with other seconds than the first value.
        defaultValue={changedSince ? toLocalInput(changedSince).slice(0, 'yyyy-mm-ddThh:mm'.length) : ''}
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormChip>
  );
}

type ChipLabels = { label: string; value: string | undefined; onRemove: () => void };

/** The service accepts no more. */
const MAX_VALUES = 10;

type ChoiceChipProps = ChipLabels & {
  field: OwnField;
  choices: readonly Scalar[];
  chosen: readonly string[];
  onChoose: (values: string | string[]) => void;
};

function ChoiceChip({ field, choices, chosen, onChoose, ...chip }: ChoiceChipProps) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Chip {...chip} button={button}>
      <Menu position="bottom-start" returnFocus>
        <Menu.Target>
          <ChipButton {...chip} ref={button} />
        </Menu.Target>
        <Menu.Dropdown mah="min(24rem, 60vh)" style={{ overflow: 'auto' }}>
          {field.enum && field.filter ? (
            <Menu.CheckboxGroup value={[...chosen]} onChange={onChoose}>
              {choices.map((choice) => (
                <Menu.CheckboxItem
                  key={String(choice)}
                  value={String(choice)}
                  disabled={chosen.length >= MAX_VALUES && !chosen.includes(String(choice))}
                >
                  {formatValue(field, choice)}
                </Menu.CheckboxItem>
              ))}
            </Menu.CheckboxGroup>
          ) : (
            <Menu.RadioGroup value={chosen[0] ?? null} onChange={onChoose}>
              {choices.map((choice) => (
                <Menu.RadioItem key={String(choice)} value={String(choice)} closeMenuOnClick>
                  {formatValue(field, choice)}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          )}
        </Menu.Dropdown>
      </Menu>
    </Chip>
  );
}

type FormChipProps = ChipLabels & {
  children: ReactNode;
  onApply: (data: FormData) => void;
  shortcuts?: { label: string; apply: () => void }[];
};

function FormChip({ children, onApply, shortcuts = [], ...chip }: FormChipProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, { toggle, close, set }] = useDisclosure();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onApply(new FormData(event.currentTarget));
    close();
  };
  return (
    <Chip {...chip} button={button}>
      <Popover
        opened={isOpen}
        onChange={set}
        position="bottom-start"
        width="min(22rem, 92vw)"
        shadow="md"
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <ChipButton {...chip} ref={button} onClick={toggle} />
        </Popover.Target>
        <Popover.Dropdown aria-label={`Filter by ${chip.label}`}>
          <form onSubmit={submit}>
            <Stack gap="sm">
              {shortcuts.length > 0 && (
                <Group gap={6}>
                  {shortcuts.map(({ label, apply }) => (
                    <Button
                      key={label}
                      size="compact-sm"
                      variant="default"
                      onClick={() => {
                        apply();
                        close();
                      }}
                    >
                      {label}
                    </Button>
                  ))}
                </Group>
              )}
              {children}
              <Button type="submit" size="xs" ml="auto">
                Apply
              </Button>
            </Stack>
          </form>
        </Popover.Dropdown>
      </Popover>
    </Chip>
  );
}

type ChipFrameProps = ChipLabels & { button: { readonly current: HTMLElement | null }; children: ReactNode };

const Chip = ({ label, value, onRemove, button, children }: ChipFrameProps) => (
  <div className={classes.chip} data-set={value !== undefined || undefined}>
    {children}
    {value !== undefined && <RemoveButton label={label} button={button} onClick={onRemove} />}
  </div>
);

type RemoveProps = Pick<ChipFrameProps, 'label' | 'button'> & { onClick: () => void };

function RemoveButton({ label, button, onClick }: RemoveProps) {
  useRestoredFocus(button);
  return <CloseButton size={24} radius="xl" mr={2} aria-label={`Remove the filter by ${label}`} onClick={onClick} />;
}

type ChipButtonProps = Pick<ChipLabels, 'label' | 'value'> & {
  ref: React.Ref<HTMLButtonElement>;
  onClick?: () => void;
};

const ChipButton = ({ label, value, onRemove: _, ...button }: ChipButtonProps & { onRemove?: () => void }) => (
  <UnstyledButton {...button} className={classes.button}>
    {value === undefined && <IconPlus size={14} aria-hidden="true" />}
    <VisuallyHidden>Filter by </VisuallyHidden>
    {value === undefined ? (
      label
    ) : (
      <>
        {`${label}: `}
        <Text span inherit fw={600} truncate maw="14rem">
          <bdi>{value}</bdi>
        </Text>
        <IconChevronDown size={14} aria-hidden="true" />
      </>
    )}
  </UnstyledButton>
);
