import { Button, Modal, Group as Row, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef } from 'react';
import { createKey, type Group, isChanged } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { findFieldError, findFormError } from '../api/errors.ts';
import { useScrollToIssue } from '../focus.ts';
import { useChange } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';
import { refresh } from '../query-client.ts';
import { navigate } from '../route.ts';
import { type GroupDraft, groupDrafts } from '../user/drafts.ts';
import { FormError, SlowHint, Warning } from '../user/form-messages.tsx';
import { showGroup } from './groups.ts';

type Input = GroupDraft['input'];

const newGroup: GroupDraft = {
  base: { id: 'new', name: '', externalId: '', version: 0 },
  input: { name: '', externalId: '' },
  key: createKey(),
};

const toBase = ({ id, name, externalId, version }: Group) => ({ id, name, externalId: externalId ?? '', version });

export function NewGroup({ onClose }: { onClose: () => void }) {
  const draft = groupDrafts.useDraft(newGroup.base.id) ?? newGroup;
  const { name } = draft.input;
  const creation = useChange({
    failure: `${name} was not created`,
    name,
    send: ({ input: { name, externalId }, key }: GroupDraft) =>
      client.groups.create({ name, externalId: externalId || undefined }, { idempotencyKey: key }),
    onSent: async (group, sent) => {
      groupDrafts.settle(sent, toBase(group));
      await showGroup(group);
      const undo = () => client.groups.delete(group).then(() => refresh(['groups'], ['group', group.id]));
      return { message: `Created ${group.name}`, name: group.name, subject: group.id, undo };
    },
  });
  return (
    <GroupForm
      title="New group"
      submitLabel="Create"
      draft={draft}
      change={creation}
      onSubmit={() => creation.mutate(draft, { onSuccess: ({ id }) => navigate({ groups: id }, { replace: true }) })}
      onClose={onClose}
    />
  );
}

export function EditGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const edited = groupDrafts.useDraft(group.id);
  const base = toBase(group);
  const draft = edited ?? { base, input: base, key: '' };
  const change = useChange({
    failure: `${group.name} was not saved`,
    name: group.name,
    // The form has shown this version of the group, also if it is later than the draft's.
    send: ({ draft: { base, input }, group }: { draft: GroupDraft; group: Group }) =>
      client.groups.update(group, {
        ...(input.name === base.name ? {} : { name: input.name }),
        ...(input.externalId === base.externalId ? {} : { externalId: input.externalId || null }),
      }),
    onSent: async (saved, { draft, group: { id, name, externalId, version } }) => {
      groupDrafts.settle(draft, toBase(saved));
      await showGroup(saved);
      const undo = () => client.groups.update(saved, { name, externalId }).then(showGroup);
      const canUndo = saved.version > version;
      return { message: `Saved ${saved.name}`, name: saved.name, subject: id, ...(canUndo ? { undo } : {}) };
    },
    onFailed: () => refresh(['group', group.id]),
  });
  const closeUnlessTyped = () => groupDrafts.find(group.id) ?? onClose();
  return (
    <GroupForm
      title={`Edit ${group.name}`}
      submitLabel="Save"
      draft={draft}
      change={change}
      warning={
        draft.base.version < group.version &&
        !change.isPending && (
          <Warning>
            It was changed elsewhere to “<bdi>{[group.name, group.externalId].filter(Boolean).join(', ')}</bdi>”. Saving
            replaces only what you have changed.
          </Warning>
        )
      }
      onSubmit={() => (edited ? change.mutate({ draft: edited, group }, { onSuccess: closeUnlessTyped }) : onClose())}
      onClose={onClose}
    />
  );
}

type FormProps = {
  title: string;
  submitLabel: string;
  draft: GroupDraft;
  change: { error: Error | null; isPending: boolean; reset: () => void };
  warning?: ReactNode;
  onSubmit: () => void;
  /** Keeps the draft. */
  onClose: () => void;
};

function GroupForm({ title, submitLabel, draft: { base, input }, change, warning, ...props }: FormProps) {
  const { isPending, reset } = change;
  // The warning explains a conflict.
  const error = warning && isChanged(change.error) ? null : change.error;
  const form = useRef<HTMLFormElement>(null);
  useScrollToIssue(form, error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) props.onSubmit();
  };
  const edit = (changes: Partial<Input>) => {
    groupDrafts.set(base, { name: input.name, externalId: input.externalId, ...changes });
    if (error) reset();
  };
  const cancel = () => {
    groupDrafts.drop(base.id);
    props.onClose();
  };
  return (
    <Modal opened onClose={props.onClose} title={title} centered>
      <form ref={form} onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            withAsterisk
            data-autofocus
            autoComplete="off"
            value={input.name}
            error={findFieldError(error, 'name')}
            onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
          />
          <TextInput
            label="External id"
            description="The id of the group in another system. Unique."
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={input.externalId}
            error={findFieldError(error, 'externalId')}
            onChange={({ currentTarget }) => edit({ externalId: currentTarget.value })}
          />
          {warning}
          <FormError message={findFormError(error, ['name', 'externalId'])} />
          <SlowHint isPending={isPending} />
          <Row justify="flex-end">
            <Button variant="default" disabled={isPending} onClick={cancel}>
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
