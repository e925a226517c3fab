import { v7 as uuidv7 } from 'uuid';
import { deleteItems, putItems } from '../../../../lib/dynamodb/batch.ts';
import { listDerivedKeys } from '../../../../lib/features/groups/entries.ts';
import { formatDerived } from '../../../../lib/features/groups/group.ts';
import { deletedGroupsKey, groupKey } from '../../../../lib/features/groups/keys.ts';

const TIME = '2026-01-01T00:00:00.000Z';

const toItem = (id: string, attributes: object = {}) => ({
  ...{ ...groupKey(id), name: 'Acme', createdAt: TIME, updatedAt: TIME, version: 1, by: 'system' },
  ...attributes,
});

const listKeys = (id: string) => listDerivedKeys({ id, name: 'Acme', externalId: null });

/** Stores a group with its entries. Returns its id. */
export async function storeGroup(id: string = uuidv7()): Promise<string> {
  await putItems([toItem(id, { derived: formatDerived(listKeys(id)) }), ...listKeys(id)]);
  return id;
}

/** Deletes a group like a request. The job that removes memberships has not run yet. */
export async function markDeleted(id: string): Promise<void> {
  await putItems([toItem(id, { deletedAt: TIME, deletedBy: 'system' }), { ...deletedGroupsKey, [id]: TIME }]);
  await deleteItems(listKeys(id));
}
