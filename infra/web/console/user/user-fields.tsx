import { Alert, TextInput } from '@mantine/core';
import { findFieldError, findFormError } from '../api/field-errors.ts';
import type { UserInput } from '../api/users.ts';

type Props = { value: UserInput; error: unknown; autoFocus?: boolean; onChange: (value: UserInput) => void };

/** The fields of a user, with the messages of the API beside them. The console has no rules besides those of the API. */
export const UserFields = ({ value, error, autoFocus = false, onChange }: Props) => (
  <>
    <TextInput
      label="Name"
      autoFocus={autoFocus}
      value={value.name}
      error={findFieldError(error, 'name')}
      onChange={({ currentTarget }) => onChange({ ...value, name: currentTarget.value })}
      autoComplete="off"
    />
    <TextInput
      label="Email"
      // The API accepts addresses that type="email" does not.
      inputMode="email"
      value={value.email}
      error={findFieldError(error, 'email')}
      onChange={({ currentTarget }) => onChange({ ...value, email: currentTarget.value })}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
    />
    <FormError message={findFormError(error, ['name', 'email'])} />
  </>
);

export const FormError = ({ message }: { message: string | undefined }) =>
  message ? (
    <Alert color="red" variant="light" role="alert" p="sm">
      {message}
    </Alert>
  ) : null;
