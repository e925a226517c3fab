import { Button, Checkbox, Modal, Group as Row, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Group } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { formatCount } from '../format.ts';
import { useChange } from '../notices.tsx';
import { PendingButton } from '../pending-button.tsx';
import { refresh } from '../query-client.ts';
import { navigate } from '../route.ts';
import { groupDrafts } from '../user/drafts.ts';
import { FormError, SlowHint } from '../user/form-messages.tsx';
import { memberCountQuery, refreshMembers } from './groups.ts';

/** The service rejects the deletion of a group with members, unless the person has chosen to remove them. */
export function DeleteGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const { id, name } = group;
  const { data: count, isPending: isCounting } = useQuery({ ...memberCountQuery(id), staleTime: 0 });
  const [removesMembers, setRemovesMembers] = useState(false);
  const { mutate, error, isPending } = useChange({
    failure: `${name} was not deleted`,
    name,
    send: () => client.groups.delete(group, { removeMembers: removesMembers }),
    onSent: async () => {
      groupDrafts.drop(id);
      navigate({ groups: 'all' });
      await Promise.all([refreshMembers(), refresh(['groups'], ['group', id], ['user'])]);
      return { message: `Deleted ${name}`, name };
    },
    onFailed: () => refresh(['group', id], ['count']),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate();
  };
  const members = typeof count === 'number' ? formatCount(count, 'member') : 'many members';
  return (
    <Modal opened onClose={onClose} title={`Delete ${name}?`} centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" role="status">
            {isCounting ? 'Counting the members' : `The group has ${members}. Its deletion cannot be undone.`}
          </Text>
          {!isCounting && count !== 0 && (
            <Checkbox
              label="Remove the members from the group"
              description="The users stay. Each gets a new version within minutes."
              checked={removesMembers}
              onChange={({ currentTarget }) => setRemovesMembers(currentTarget.checked)}
            />
          )}
          <FormError message={error?.message} />
          <SlowHint isPending={isPending} />
          <Row justify="flex-end">
            <Button variant="default" data-autofocus onClick={onClose}>
              Cancel
            </Button>
            <PendingButton
              type="submit"
              color="red"
              isPending={isPending}
              disabled={isCounting || (count !== 0 && !removesMembers)}
            >
              Delete the group
            </PendingButton>
          </Row>
        </Stack>
      </form>
    </Modal>
  );
}
