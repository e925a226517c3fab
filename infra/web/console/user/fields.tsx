import { Alert, Group, TextInput } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { findFieldError, findFormError } from '../api/errors.ts';
import type { UserInput } from '../api/users.ts';
import { isComposing } from '../keys.ts';
import { listMembers, ownFields } from '../own-fields.ts';
import { OwnFieldInput } from './own-field-input.tsx';

type UserFieldsProps = { value: UserInput; error: unknown; autoFocus?: boolean; onChange: (value: UserInput) => void };

/** Shows the fields of a user, with the messages of the API. The console has no rules besides those of the API. */
export function UserFields({ value, error, autoFocus = false, onChange }: UserFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        withAsterisk={ownFields.get().length > 0}
        autoFocus={autoFocus}
        value={value.name}
        error={findFieldError(error, 'name')}
        onChange={({ currentTarget }) => onChange({ ...value, name: currentTarget.value })}
        autoComplete="off"
      />
      <TextInput
        label="Email"
        withAsterisk={ownFields.get().length > 0}
        // The API accepts addresses that type="email" does not.
        inputMode="email"
        value={value.email}
        error={findFieldError(error, 'email')}
        onChange={({ currentTarget }) => onChange({ ...value, email: currentTarget.value })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {ownFields
        .get()
        .toSorted((one, other) => Number(Boolean(one.deprecated)) - Number(Boolean(other.deprecated)))
        .map((field) => (
          <OwnFieldInput
            key={field.name}
            field={field}
            value={value[field.name]}
            error={findFieldError(error, field.name)}
            onChange={(changed) => onChange({ ...value, [field.name]: changed })}
          />
        ))}
      <FormError message={findFormError(error, listMembers())} />
    </>
  );
}

/** The buttons of a long form are always in sight, and hide no field that has the focus: see the padding of the panel. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <Group pos="sticky" bottom={0} my={-10} py={10} bg="var(--surface)" style={{ zIndex: 2 }}>
    {children}
  </Group>
);

export const FormError = ({ message }: { message: string | undefined }) =>
  message ? (
    <Alert color="red" variant="light" role="alert" p="sm">
      {message}
    </Alert>
  ) : null;

type TitleFormProps = {
  label: string;
  title: string;
  error: unknown;
  onChange: (title: string) => void;
  onSubmit: () => void;
  placeholder?: string;
  autoFocus?: boolean;
  onEscape?: () => void;
  warning?: string | undefined;
  children: ReactNode;
};

/** Shows the title of a post, with its buttons and the messages of the API. */
export function TitleForm(props: TitleFormProps) {
  const { label, title, error, onChange, onSubmit, onEscape, warning, children, ...input } = props;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          {...input}
          aria-label={label}
          flex={1}
          value={title}
          error={findFieldError(error, 'title')}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !isComposing(event)) onEscape?.();
          }}
        />
        {children}
      </Group>
      {warning && (
        <Alert color="yellow" variant="light" role="status" p="sm">
          {warning}
        </Alert>
      )}
      <FormError message={findFormError(error, ['title'])} />
    </form>
  );
}
