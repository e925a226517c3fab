import { membershipField } from '../../../lib/users/fields/values.ts';
import { GroupIndex } from '../../transfer/memberships.ts';
import { findGroups } from '../../transfer/service-groups.ts';
import { createTransferClient } from './api/client.ts';

/** Looks up the groups that an import or export names. Undefined without the setting `groups`. */
export function createGroupIndex(): GroupIndex | undefined {
  if (!membershipField) return undefined;
  const client = createTransferClient();
  return new GroupIndex((names) => findGroups(client, names));
}
