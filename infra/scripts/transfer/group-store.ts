import { type Client, type Group, isInvalid, isTaken } from '../../../lib/client/client.ts';
import type { GroupNames } from '../../transfer/memberships.ts';
import { findGroups } from '../../transfer/service-groups.ts';
import { isBusy } from '../../transfer/service-target.ts';
import type { GroupInput } from './group-rows.ts';

export type { Group };

type Changes = { name: string; externalId?: string | undefined };

/** The groups of a deployment or a table. `taken`: another group has the id or the external id. */
export type GroupStore = {
  /** Returns the groups with these ids or external ids. */
  find(names: GroupNames): Promise<Group[]>;
  /** Oldest first. */
  list(): AsyncIterable<Group>;
  create(group: GroupInput): Promise<Group | 'taken'>;
  update(id: string, changes: Changes): Promise<Group | 'taken'>;
  isBusy(error: unknown): boolean;
  /** Returns why the input is invalid. Undefined for another error. */
  findIssue(error: unknown): string | undefined;
};

export const openServiceGroups = (client: Client): GroupStore => ({
  find: (names) => findGroups(client, names),
  list: () => client.groups.list(),
  // The APIs make the ids.
  create: ({ name, externalId }) => client.groups.create({ name, externalId }).catch(returnTaken),
  update: (id, changes) => client.groups.update(id, changes).catch(returnTaken),
  isBusy,
  findIssue: (error) => (isInvalid(error) ? error.message : undefined),
});

const readOnly = async (): Promise<never> => {
  throw new Error('A dry run writes no groups');
};

/** For a dry run without a database. */
export const noGroups: GroupStore = {
  find: async () => [],
  async *list() {},
  create: readOnly,
  update: readOnly,
  isBusy: () => false,
  findIssue: () => undefined,
};

function returnTaken(error: unknown): 'taken' {
  if (isTaken(error)) return 'taken';
  throw error;
}
