import { membershipField } from '../../../lib/users/fields/values.ts';
import { GroupIndex } from '../../transfer/memberships.ts';
import { findGroups } from '../../transfer/service-groups.ts';
import { createTransferClient } from './api/client.ts';

/** Enough to survive an outage of a few minutes. */
const MAX_ATTEMPTS = 12;

/** Looks up the groups that an import or export names. Undefined without the setting `groups`. */
export function createGroupIndex(): GroupIndex | undefined {
  if (!membershipField) return undefined;
  const client = createTransferClient(MAX_ATTEMPTS);
  return new GroupIndex((names) => findGroups(client, names));
}
