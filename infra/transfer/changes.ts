import type { Client, TypedDocument } from '../../lib/client/client.ts';
import type { ListChangesQuery, ListChangesQueryVariables } from './document-types.ts';
import { type ExportedUser, removeNulls } from './person.ts';
import { appendUserFields } from './user-fields.ts';

/** A change of a user. `user` is null for a deletion. Also null if the stored record is invalid, after a manual change of the table. */
export type ExportedChange = { kind: string; id: string; at: string; user: ExportedUser | null };

/** A page of changes. `end`: cursor of the last change, from which the next page continues. */
export type ExportedChangesPage = { changes: ExportedChange[]; end: string; hasMore: boolean };

/** A user who was deleted and has not been created again. */
export type Deletion = { id: string; deletedAt: string };

/** The changed users and the deleted ones, each user once, in the order of their last change. */
export type ChangedUsers = { users: ExportedUser[]; deletions: Deletion[]; end: string };

/** Reads all pages of changes since the cursor or time `start`. Keeps all changed users in memory. */
export async function readChangedUsers(
  start: string,
  readPage: (after: string) => Promise<ExportedChangesPage>,
): Promise<ChangedUsers> {
  const last = new Map<string, ExportedChange>();
  for (let after = start; ; ) {
    const { changes, end, hasMore } = await readPage(after);
    for (const change of changes) {
      // Deletes the user first, so that the Map iterates users in the order of their last changes.
      last.delete(change.id);
      last.set(change.id, change);
    }
    if (!hasMore) return { ...splitDeletions([...last.values()]), end };
    after = end;
  }
}

function splitDeletions(changes: ExportedChange[]): Omit<ChangedUsers, 'end'> {
  const damaged = changes.find(({ kind, user }) => kind !== 'DELETED' && !user);
  if (damaged) throw new Error(`The user ${damaged.id} cannot be read: its record was damaged by hand`);
  return {
    users: changes.flatMap(({ user }) => user ?? []),
    deletions: changes.flatMap(({ id, at, user }) => (user ? [] : [{ id, deletedAt: at }])),
  };
}

const PAGE_SIZE = 100;

const LIST_CHANGES: TypedDocument<ListChangesQuery, ListChangesQueryVariables> =
  `query ListChanges($first: Int, $after: ID) {
  userChanges(first: $first, after: $after) {
    nodes { kind id at user { ...UserFields } }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Returns a function that reads one page of changes through the API. */
export function createChangesReader(client: Client, fields: readonly string[]) {
  const document = appendUserFields(LIST_CHANGES, fields);
  return async (after: string): Promise<ExportedChangesPage> => {
    const { nodes, pageInfo } = (await client.graphql(document, { first: PAGE_SIZE, after })).userChanges;
    const changes = nodes.map(({ kind, id, at, user }) => ({ kind, id, at, user: user ? removeNulls(user) : null }));
    // `endCursor` is never null here. Only the type of the schema allows null.
    return { changes, end: pageInfo.endCursor ?? after, hasMore: pageInfo.hasNextPage };
  };
}
