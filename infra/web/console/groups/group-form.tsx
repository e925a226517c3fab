import { Button, Modal, Group as Row, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { createKey, type Group } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { findFieldError, findFormError } from '../api/errors.ts';
import { useScrollToIssue } from '../focus.ts';
import { useChange } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';
import { refresh } from '../query-client.ts';
import { navigate } from '../route.ts';
import { FormError, SlowHint } from '../user/form-messages.tsx';
import { showGroup } from './groups.ts';

type Input = { name: string; externalId: string };

export function NewGroup({ onClose }: { onClose: () => void }) {
  // Another input needs another key.
  const [{ input, key }, setDraft] = useState({ input: { name: '', externalId: '' }, key: createKey() });
  const creation = useChange({
    failure: `${input.name} was not created`,
    name: input.name,
    send: ({ name, externalId }: Input) =>
      client.groups.create({ name, externalId: externalId || undefined }, { idempotencyKey: key }),
    onSent: async (group) => {
      await showGroup(group);
      const undo = () => client.groups.delete(group).then(() => refresh(['groups'], ['group', group.id]));
      return { message: `Created ${group.name}`, name: group.name, subject: group.id, undo };
    },
  });
  return (
    <GroupForm
      title="New group"
      submitLabel="Create"
      input={input}
      change={creation}
      onChange={(changed) => setDraft({ input: changed, key: createKey() })}
      onSubmit={() => creation.mutate(input, { onSuccess: ({ id }) => navigate({ groups: id }, { replace: true }) })}
      onClose={onClose}
    />
  );
}

export function EditGroup({ group: shown, onClose }: { group: Group; onClose: () => void }) {
  // Keeps the version of the opened form: a later one may contain another person's change.
  const [group] = useState(shown);
  const [input, setInput] = useState<Input>({ name: group.name, externalId: group.externalId ?? '' });
  const change = useChange({
    failure: `${group.name} was not saved`,
    name: group.name,
    send: ({ name, externalId }: Input) => client.groups.update(group, { name, externalId: externalId || null }),
    onSent: async (saved) => {
      await showGroup(saved);
      const { name, externalId } = group;
      const undo = () => client.groups.update(saved, { name, externalId }).then(showGroup);
      const isChanged = saved.version > group.version;
      return { message: `Saved ${saved.name}`, name: saved.name, subject: group.id, ...(isChanged ? { undo } : {}) };
    },
    onFailed: () => refresh(['group', group.id]),
  });
  return (
    <GroupForm
      title={`Edit ${group.name}`}
      submitLabel="Save"
      input={input}
      change={change}
      onChange={setInput}
      onSubmit={() => change.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

type FormProps = {
  title: string;
  submitLabel: string;
  input: Input;
  change: { error: Error | null; isPending: boolean };
  onChange: (input: Input) => void;
  onSubmit: () => void;
  onClose: () => void;
};

function GroupForm({
  title,
  submitLabel,
  input,
  change: { error, isPending },
  onChange,
  onSubmit,
  onClose,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useScrollToIssue(form, error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit();
  };
  return (
    <Modal opened onClose={onClose} title={title} centered>
      <form ref={form} onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            withAsterisk
            data-autofocus
            autoComplete="off"
            value={input.name}
            error={findFieldError(error, 'name')}
            onChange={({ currentTarget }) => onChange({ ...input, name: currentTarget.value })}
          />
          <TextInput
            label="External id"
            description="The id of the group in another system. Unique."
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={input.externalId}
            error={findFieldError(error, 'externalId')}
            onChange={({ currentTarget }) => onChange({ ...input, externalId: currentTarget.value })}
          />
          <FormError message={findFormError(error, ['name', 'externalId'])} />
          <SlowHint isPending={isPending} />
          <Row justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <PendingButton type="submit" isPending={isPending}>
              {submitLabel}
            </PendingButton>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}
