import {
  Badge,
  Checkbox,
  Group,
  NativeSelect,
  Pill,
  PillsInput,
  Textarea,
  TextInput,
  type TextInputProps,
  VisuallyHidden,
} from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import type { OwnField, Scalar } from '../../../../lib/users/fields/declaration.ts';
import { toLocalInput } from '../format.ts';
import { isComposing } from '../keys.ts';
import { lazyPart } from '../lazy-part.tsx';
import {
  describeField,
  formatJsonText,
  formatValue,
  isSameValue,
  labelMember,
  parseJsonText,
  parseNumber,
  parseScalar,
  type Value,
} from '../own-fields.ts';

const MembershipInput = lazyPart(async () => (await import('../groups/membership-input.tsx')).MembershipInput);

type Props = {
  field: OwnField;
  value: Value | undefined;
  error: ReactNode;
  onChange: (value: Value) => void;
};

type InputProps = Props & { label: ReactNode; description: string | undefined; withAsterisk: boolean };

export function OwnFieldInput(given: Props) {
  const { name, type, list, enum: choices, default: fallback, deprecated, required = false } = given.field;
  const props: InputProps = {
    ...given,
    label: deprecated ? <DeprecatedLabel name={name} /> : labelMember(name),
    description: describeField(given.field),
    withAsterisk: required,
  };
  if (type === 'membership') return <MembershipInput {...props} />;
  if (list) return <ListInput {...props} />;
  if (choices) return <ChoiceInput {...props} choices={choices} />;
  switch (type) {
    case 'boolean':
      return fallback === undefined ? <ChoiceInput {...props} choices={[true, false]} /> : <YesOrNoInput {...props} />;
    case 'integer':
    case 'number':
      return <NumberInput {...props} />;
    case 'date':
      // The API accepts only years of four digits. Browsers offer six without a maximum.
      return <ValueInput {...props} type="date" max="9999-12-31" />;
    case 'dateTime':
      return <TimeInput {...props} />;
    case 'json':
      return <JsonInput {...props} />;
    case 'string':
      return given.field.multiline ? <LinesInput {...props} /> : <ValueInput {...props} />;
  }
}

const DeprecatedLabel = ({ name }: { name: string }) => (
  <>
    {labelMember(name)}{' '}
    <Badge variant="default" size="sm">
      Deprecated
    </Badge>
  </>
);

/** The API rejects the empty text of a required field. */
const noValue = ({ required }: OwnField): Value => (required ? '' : null);

type ValueInputProps = InputProps &
  Pick<TextInputProps, 'type' | 'inputMode' | 'max' | 'onBlur'> & { text?: string; toValue?: (text: string) => Value };

function ValueInput(props: ValueInputProps) {
  const { field, value, onChange, text = String(value ?? ''), toValue = (typed) => typed, ...input } = props;
  return (
    <TextInput
      {...input}
      value={text}
      placeholder={formatValue(field, field.default)}
      // React's onChange does not fire for an invalid date, which browsers report as empty.
      onInput={({ currentTarget: { value: typed, validity } }) => {
        if (typed) onChange(toValue(typed));
        else onChange(validity.badInput ? '' : noValue(field));
      }}
      autoComplete="off"
    />
  );
}

const LinesInput = ({ field, value, onChange, ...input }: InputProps) => (
  <Textarea
    {...input}
    value={String(value ?? '')}
    placeholder={formatValue(field, field.default)}
    onChange={({ currentTarget }) => onChange(currentTarget.value || noValue(field))}
    autosize
    minRows={3}
    maxRows={15}
  />
);

/** Inputs of type `number` have no value for "1.", the beginning of "1.05". Mantine's drop the e of "1e5". */
function NumberInput(props: InputProps) {
  const { value, field } = props;
  const [typed, setTyped] = useState('');
  return (
    <ValueInput
      {...props}
      // Numeric keyboards of phones have no minus key.
      inputMode={(field.minimum ?? -1) < 0 ? 'text' : field.type === 'integer' ? 'numeric' : 'decimal'}
      // Keep the typed text only while it equals the value, which may change elsewhere, for example after a save.
      text={typed && parseNumber(typed) === value ? typed : String(value ?? '')}
      toValue={(text) => {
        setTyped(text);
        return parseNumber(text);
      }}
      onBlur={() => setTyped('')}
    />
  );
}

/** Never reformats the text, because that would move the button that a person is about to click. */
function JsonInput({ field, value, onChange, ...input }: InputProps) {
  const [typed, setTyped] = useState<string>();
  const isTyped = typed !== undefined && isSameValue(parseJsonText(typed), value);
  return (
    <Textarea
      {...input}
      value={isTyped ? typed : formatJsonText(value)}
      placeholder={formatJsonText(field.default)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(parseJsonText(currentTarget.value));
      }}
      autosize
      minRows={3}
      maxRows={15}
      spellCheck={false}
      autoCapitalize="none"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  );
}

/** Local time, with a hint in UTC. */
function TimeInput(props: InputProps) {
  const time = String(props.value ?? '');
  const hint = time ? `${time.slice(0, 16).replace('T', ' ')} in UTC.` : 'Your local time.';
  return (
    <ValueInput
      {...props}
      description={[props.description, hint].filter(Boolean).join(' ')}
      type="datetime-local"
      max="9999-12-31T23:59"
      text={toLocalInput(time)}
      toValue={(text) => new Date(text).toISOString()}
    />
  );
}

const YesOrNoInput = ({ field, value, onChange, withAsterisk: _, ...input }: InputProps) => (
  <Checkbox
    {...input}
    checked={Boolean(value ?? field.default)}
    onChange={({ currentTarget }) => onChange(currentTarget.checked)}
  />
);

/** Keeps a stored value that is no longer a choice. */
function ChoiceInput(props: InputProps & { choices: readonly (string | number | boolean)[] }) {
  const { field, value, choices, onChange, ...input } = props;
  const shown = String(value ?? field.default ?? '');
  const options = choices.map((choice) => ({ value: String(choice), label: formatValue(field, choice) }));
  const isOffered = shown === '' || options.some((option) => option.value === shown);
  const canBeUnset = field.default === undefined && (!field.required || shown === '');
  return (
    <NativeSelect
      {...input}
      value={shown}
      data={[
        ...(canBeUnset ? [{ value: '', label: 'Not set' }] : []),
        ...(isOffered ? [] : [{ value: shown, label: shown, disabled: true }]),
        ...options,
      ]}
      onChange={({ currentTarget }) =>
        onChange(choices.find((choice) => String(choice) === currentTarget.value) ?? noValue(field))
      }
    />
  );
}

function ListInput({ field, value, onChange, ...input }: InputProps) {
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
