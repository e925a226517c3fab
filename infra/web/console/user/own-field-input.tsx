import { Badge, Checkbox, NativeSelect, Textarea, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { toLocalInput } from '../format.ts';
import {
  describeField,
  formatJsonText,
  formatValue,
  isSameValue,
  labelMember,
  parseJsonText,
  parseNumber,
  type Value,
} from '../own-fields.ts';
import { ListInput } from './list-input.tsx';

type Props = {
  field: OwnField;
  value: Value | undefined;
  error: ReactNode;
  onChange: (value: Value) => void;
};

export type InputProps = Props & { label: ReactNode; description: string | undefined; withAsterisk: boolean };

export function OwnFieldInput(given: Props) {
  const { name, type, list, enum: choices, default: fallback, deprecated, required = false } = given.field;
  const props: InputProps = {
    ...given,
    label: deprecated ? <DeprecatedLabel name={name} /> : labelMember(name),
    description: describeField(given.field),
    withAsterisk: required,
  };
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
