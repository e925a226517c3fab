import { isUserId, type Key } from '../../dynamodb/keys.ts';

/** Sort key of a group's item. */
export const GROUP = 'GROUP';

export const groupKey = (id: string): Key => ({ pk: `${GROUP}#${id}`, sk: GROUP });
export const isGroupKey = ({ pk, sk }: Key): boolean => sk === GROUP && pk.startsWith(`${GROUP}#`);
export const parseGroupId = (pk: string): string => pk.slice(`${GROUP}#`.length);

/** Counts the writes of a group's administrators. */
export const groupWritesKey = (id: string): Key => ({ pk: `${GROUP}#${id}`, sk: 'WRITES' });

/** Groups have UUIDs, as users have. */
export const isGroupId = isUserId;

/** The claim that makes an external id unique. Compared exactly. */
export const externalIdKey = (externalId: string): Key => ({ pk: `GROUPID#${externalId}`, sk: 'GROUPID' });
export const isExternalIdKey = ({ pk }: Key): boolean => pk.startsWith('GROUPID#');

/** Partition of all groups in creation order. Sort keys are ids. */
export const GROUPS = 'GROUPS';

/** Partition of the texts that find groups. Sort keys are a text and an id. */
export const GROUP_SEARCH = 'GROUPSEARCH';

/** Holds one attribute per group that is being deleted, named by its id. */
export const deletedGroupsKey: Key = { pk: 'GROUPDELETIONS', sk: 'GROUPDELETIONS' };
