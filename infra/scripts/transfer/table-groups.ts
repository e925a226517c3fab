import { SYSTEM } from '../../../lib/auth/caller.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { Group } from '../../../lib/features/groups/group.ts';
import { listGroups } from '../../../lib/features/groups/list.ts';
import { readGroups, readGroupsByExternalId } from '../../../lib/features/groups/read.ts';
import { createGroup, updateGroup } from '../../../lib/features/groups/write.ts';
import type { GroupStore } from './group-store.ts';
import { isBusy } from './table-target.ts';

const PAGE_SIZE = 1_000;

export const tableGroups: GroupStore = {
  async find({ ids, externalIds }) {
    const byId = await readGroups(ids, { consistent: true });
    return [...byId.values(), ...(await readGroupsByExternalId(externalIds))];
  },
  list: listAll,
  create: (group) => createGroup(group, SYSTEM).catch(returnTaken),
  update: (id, changes) => updateGroup({ id, ...changes }, SYSTEM).catch(returnTaken),
  isBusy,
  findIssue: () => undefined,
};

async function* listAll(): AsyncGenerator<Group> {
  let after: string | undefined;
  do {
    const page = await listGroups({ first: PAGE_SIZE, after }, () => {});
    yield* page.groups;
    after = page.next;
  } while (after !== undefined);
}

function returnTaken(error: unknown): 'taken' {
  if (error instanceof ServiceError && error.reason === 'VALUE_TAKEN') return 'taken';
  throw error;
}
