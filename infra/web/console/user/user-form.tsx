import { Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { createRef, type ReactNode, type SyntheticEvent, useRef } from 'react';
import { isTaken } from '../../../../lib/client/client.ts';
import { findFieldError, findFormError } from '../api/errors.ts';
import type { UserInput } from '../api/users.ts';
import { useScrollToIssue } from '../focus.ts';
import { groupFields, labelMember, listMembers, ownFields } from '../own-fields.ts';
import { PendingButton } from '../pending-button.tsx';
import { FormError, SlowHint } from './form-messages.tsx';
import { OwnFieldInput } from './own-field-input.tsx';
import { OwnerLink } from './owner-link.tsx';

type Props = {
  input: UserInput;
  error: unknown;
  isPending: boolean;
  canSubmit?: boolean;
  submitLabel: string;
  autoFocus?: boolean;
  onChange: (input: UserInput) => void;
  onSubmit: () => void;
  warning?: ReactNode;
  children: ReactNode;
};

export const submitButton = createRef<HTMLButtonElement>();

/** Shows the errors of the API, and validates nothing itself. */
export function UserForm({ input, error, isPending, canSubmit = true, autoFocus = false, onChange, ...props }: Props) {
  const form = useRef<HTMLFormElement>(null);
  useScrollToIssue(form, error);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (canSubmit && !isPending) props.onSubmit();
  };
  const describe = (name: string): ReactNode => {
    const message = findFieldError(error, name);
    if (!message || !isTaken(error)) return message;
    return (
      <>
        {message}
        <OwnerLink field={name} value={String(input[name])} />
      </>
    );
  };
  const bind = (name: 'name' | 'email') => ({
    label: labelMember(name),
    withAsterisk: ownFields.get().length > 0,
    value: input[name],
    error: describe(name),
    onChange: (event: { currentTarget: HTMLInputElement }) => onChange({ ...input, [name]: event.currentTarget.value }),
    autoComplete: 'off',
  });
  return (
    <form ref={form} onSubmit={submit} noValidate data-saved={!canSubmit || undefined}>
      <Stack>
        <TextInput {...bind('name')} autoFocus={autoFocus} />
        {/* The API accepts addresses that type="email" rejects. */}
        <TextInput {...bind('email')} inputMode="email" autoCapitalize="none" spellCheck={false} />
        {groupFields().map(({ heading, fields }) => (
          <FieldGroup key={heading ?? ''} heading={heading}>
            {fields.map((field) => (
              <OwnFieldInput
                key={field.name}
                field={field}
                value={input[field.name]}
                error={describe(field.name)}
                onChange={(changed) => onChange({ ...input, [field.name]: changed })}
              />
            ))}
          </FieldGroup>
        ))}
        <FormError message={findFormError(error, listMembers())} />
        <Group pos="sticky" bottom={0} my={-10} py={10} bg="var(--surface)" style={{ zIndex: 2 }}>
          {props.warning}
          <SlowHint isPending={isPending} />
          <PendingButton type="submit" ref={submitButton} disabled={!canSubmit} isPending={isPending}>
            {props.submitLabel}
          </PendingButton>
          {props.children}
        </Group>
      </Stack>
    </form>
  );
}

const FieldGroup = ({ heading, children }: { heading: string | undefined; children: ReactNode }) =>
  heading === undefined ? (
    children
  ) : (
    <Fieldset legend={heading} p="sm">
      <Stack>{children}</Stack>
    </Fieldset>
  );
