import { Group, TextInput } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { findFieldError, findFormError } from '../api/field-errors.ts';
import { FormError } from './user-fields.tsx';

type Props = {
  label: string;
  title: string;
  error: unknown;
  onChange: (title: string) => void;
  onSubmit: () => void;
  placeholder?: string;
  autoFocus?: boolean;
  onEscape?: () => void;
  children: ReactNode;
};

/** The title of a post, with its buttons beside it and the messages of the API. */
export function TitleForm({ label, title, error, onChange, onSubmit, onEscape, children, ...input }: Props) {
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
          onKeyDown={({ key }) => {
            if (key === 'Escape') onEscape?.();
          }}
        />
        {children}
      </Group>
      <FormError message={findFormError(error, ['title'])} />
    </form>
  );
}
