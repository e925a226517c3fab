import type { Group } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { useChange } from '../notices.tsx';
import { refreshMembers } from './groups.ts';

/** Roles. Undefined if the user is not a member. */
type MemberChange = { before: string | undefined; after: string | undefined };

const send = (member: { group: string; user: string }, { before, after }: MemberChange) => {
  if (after === undefined) return client.groups.removeMember(member);
  return before === undefined
    ? client.groups.addMember({ ...member, role: after })
    : client.groups.updateMember({ ...member, role: after });
};

/** Changes only this membership, so that concurrent changes of the user are kept. */
export function useMemberChange(user: { id: string; name: string }, group: Pick<Group, 'id' | 'name'>) {
  const member = { group: group.id, user: user.id };
  return useChange({
    failure: `${user.name} was not changed`,
    name: user.name,
    send: (change: MemberChange) => send(member, change),
    onSent: async (_, { before, after }) => {
      await refreshMembers(user.id);
      const undo = async () => {
        await send(member, { before: after, after: before });
        await refreshMembers(user.id);
      };
      return { message: describeChange(user.name, group.name, { before, after }), name: user.name, undo };
    },
    onFailed: () => refreshMembers(user.id),
  });
}

export function describeChange(user: string, group: string, { before, after }: MemberChange): string {
  if (after === undefined) return `Removed ${user} from ${group}`;
  return before === undefined ? `Added ${user} to ${group} as ${after}` : `${user} is now ${after} of ${group}`;
}
