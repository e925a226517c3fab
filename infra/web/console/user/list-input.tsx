import { Checkbox, Group, Pill, PillsInput, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import type { OwnField, Scalar } from '../../../../lib/users/fields/declaration.ts';
import { isComposing } from '../keys.ts';
import { formatValue, isSameValue, parseScalar } from '../own-fields.ts';
import type { InputProps } from './own-field-input.tsx';

export function ListInput({ field, value, onChange, ...input }: InputProps) {
  // A value from before the field became a list may contain objects.
  const items = Array.isArray(value) ? value.filter((item) => typeof item !== 'object') : [];
  // A required field keeps the empty list, which the API accepts.
  const change = (changed: Scalar[]) => onChange(changed.length > 0 || field.required ? changed : null);
  if (!field.enum) return <TypedItems {...input} field={field} items={items} onChange={change} />;
  return (
    <Checkbox.Group
      {...input}
      value={items.map(String)}
      onChange={(taken) => change(field.enum?.filter((choice) => taken.includes(String(choice))) ?? [])}
    >
      <Group gap="md" mt={6}>
        {field.enum.map((choice) => (
          <Checkbox key={String(choice)} value={String(choice)} label={String(choice)} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

type TypedItemsProps = Omit<InputProps, 'value' | 'onChange'> & {
  items: Scalar[];
  onChange: (items: Scalar[]) => void;
};

/** Mantine's TagsInput drops unfinished text, pastes at its end, and announces options that do not exist. */
function TypedItems({ field, items: all, onChange, ...input }: TypedItemsProps) {
  const [text, setText] = useState('');
  const typed = parseItems(field, text);
  const before = all.slice(0, all.length - typed.length);
  // The value may have changed elsewhere, as by a save.
  const items = isSameValue([...before, ...typed], all) ? before : all;
  const finish = () => setText('');
  const remove = (index: number) => onChange([...items.toSpliced(index, 1), ...typed]);
  const handleKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    if (event.key === 'Backspace' && text === '') remove(-1);
    if (event.key !== ',' && (event.key !== 'Enter' || text.trim() === '')) return;
    // Enter would also submit the form.
    event.preventDefault();
    finish();
  };
  return (
    <PillsInput {...input}>
      <Pill.Group>
        {items.map((item, at) => (
          <Pill
            // biome-ignore lint/suspicious/noArrayIndexKey: a list may contain the same item twice
            key={at}
            withRemoveButton
            onRemove={() => remove(at)}
            removeButtonProps={{ 'aria-hidden': false, tabIndex: 0, 'aria-label': `Remove ${String(item)}` }}
          >
            {formatValue(field, item)}
          </Pill>
        ))}
        <PillsInput.Field
          value={text}
          placeholder={items.length === 0 ? (PLACEHOLDERS[field.type] ?? 'Type, then press Enter') : undefined}
          onChange={({ currentTarget: { value } }) => {
            setText(value);
            onChange([...items, ...parseItems(field, value)]);
          }}
          onKeyDown={handleKey}
          onBlur={finish}
          autoComplete="off"
        />
      </Pill.Group>
      <VisuallyHidden role="status">{formatValue(field, items)}</VisuallyHidden>
    </PillsInput>
  );
}

const PLACEHOLDERS: Partial<Record<OwnField['type'], string>> = {
  boolean: 'true or false, then Enter',
  date: '2026-01-31, then Enter',
  dateTime: '2026-01-31T12:00:00Z, then Enter',
};

const parseItems = (field: OwnField, text: string): Scalar[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => parseScalar(field, part));
