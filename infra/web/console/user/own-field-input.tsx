import { Badge, Checkbox, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import type { OwnField } from '../../../../lib/features/own-fields/declaration.ts';
import { toLocalInput } from '../format.ts';
import { formatValue, labelMember, parseNumber, type Value } from '../own-fields.ts';
import { ListInput } from './list-input.tsx';

export type InputProps = {
  field: OwnField;
  value: Value | undefined;
  error: string | undefined;
  onChange: (value: Value) => void;
};

/** Shows one of the team's own fields by its type. */
export function OwnFieldInput(props: InputProps) {
  const { type, list, enum: choices, default: fallback } = props.field;
  if (list) return <ListInput {...props} {...describe(props.field)} />;
  if (choices) return <ChoiceInput {...props} choices={choices} />;
  switch (type) {
    case 'boolean':
      return fallback === undefined ? <ChoiceInput {...props} choices={[true, false]} /> : <YesOrNoInput {...props} />;
    case 'integer':
    case 'number':
      return <NumberInput {...props} />;
    case 'date':
      return <DateInput {...props} />;
    case 'dateTime':
      return <TimeInput {...props} />;
    case 'string':
      return <ValueInput {...props} text={String(props.value ?? '')} toValue={(text) => text} />;
  }
}

/** These belong to the input of any type. */
const describe = ({ name, description, deprecated, required = false }: OwnField, hint?: string) => ({
  label: deprecated ? <DeprecatedLabel name={name} /> : labelMember(name),
  description: [description, deprecated, hint].filter(Boolean).join(' ') || undefined,
  withAsterisk: required,
});

const DeprecatedLabel = ({ name }: { name: string }) => (
  <>
    {labelMember(name)}{' '}
    <Badge variant="default" size="sm">
      Deprecated
    </Badge>
  </>
);

/** Null clears an optional field; of a required one, the API says what is missing. */
const noValue = ({ required }: OwnField): Value => (required ? '' : null);

type ValueInputProps = InputProps &
  Pick<TextInputProps, 'type' | 'inputMode' | 'max' | 'onBlur'> & {
    text: string;
    toValue: (text: string) => Value;
    hint?: string;
  };

function ValueInput({ field, value: _, error, onChange, text, toValue, hint, ...input }: ValueInputProps) {
  return (
    <TextInput
      {...describe(field, hint)}
      {...input}
      error={error}
      value={text}
      placeholder={formatValue(field, field.default)}
      // A browser has no value for what is no date: then the API says so. React's onChange would not tell of it.
      onInput={({ currentTarget: { value, validity } }) => {
        if (value) onChange(toValue(value));
        else onChange(validity.badInput ? '' : noValue(field));
      }}
      autoComplete="off"
    />
  );
}

/**
 * The text stays as it is typed: "1." and "1.0" are on the way to "1.05". Inputs of the type `number` have no value for "1.",
 * and Mantine's leave out what is no digit, such as of "1e5": either would save another number than was typed.
 */
function NumberInput(props: InputProps) {
  const { value, field } = props;
  const [typed, setTyped] = useState('');
  // The value may have changed since, such as to that of the saved user.
  const isTyped = typed !== '' && parseNumber(typed) === value;
  return (
    <ValueInput
      {...props}
      // The keyboards of phones with numbers alone have no minus.
      inputMode={(field.minimum ?? -1) < 0 ? 'text' : field.type === 'integer' ? 'numeric' : 'decimal'}
      text={isTyped ? typed : String(value ?? '')}
      toValue={(text) => {
        setTyped(text);
        return parseNumber(text);
      }}
      // What is shown from now on is what is saved.
      onBlur={() => setTyped('')}
    />
  );
}

const DateInput = (props: InputProps) => (
  <ValueInput
    {...props}
    type="date"
    // A year has four digits.
    max="9999-12-31"
    text={String(props.value ?? '')}
    toValue={(text) => text}
  />
);

/** A person types local time, and sees what the API has. */
const TimeInput = (props: InputProps) => (
  <ValueInput
    {...props}
    type="datetime-local"
    max="9999-12-31T23:59"
    text={toLocalInput(String(props.value ?? ''))}
    toValue={(text) => new Date(text).toISOString()}
    hint={props.value ? `${String(props.value).slice(0, 16).replace('T', ' ')} in UTC.` : 'Your local time.'}
  />
);

const YesOrNoInput = ({ field, value, error, onChange }: InputProps) => {
  const { withAsterisk: _, ...described } = describe(field);
  return (
    <Checkbox
      {...described}
      error={error}
      checked={Boolean(value ?? field.default)}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
};

type Choice = string | number | boolean;

/** No value is a choice, too, unless readers would see a default. */
function ChoiceInput({ field, value, error, choices, onChange }: InputProps & { choices: readonly Choice[] }) {
  const shown = value ?? field.default ?? '';
  const isOffered = Array.isArray(shown) || choices.includes(shown);
  const canBeUnset = field.default === undefined && (!field.required || shown === '');
  return (
    <NativeSelect
      {...describe(field)}
      error={error}
      value={String(shown)}
      data={[
        ...(canBeUnset ? [{ value: '', label: 'Not set' }] : []),
        // A stored value stays that is no choice any more.
        ...(isOffered || shown === '' ? [] : [{ value: String(shown), label: String(shown), disabled: true }]),
        ...choices.map((choice) => ({ value: String(choice), label: formatValue(field, choice) })),
      ]}
      onChange={({ currentTarget }) =>
        onChange(choices.find((choice) => String(choice) === currentTarget.value) ?? noValue(field))
      }
    />
  );
}
