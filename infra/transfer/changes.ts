import type { Client, TypedDocument } from '../../lib/client/client.ts';
import type { ListChangesQuery, ListChangesQueryVariables } from './document-types.ts';
import type { ExportedUser } from './person.ts';
import { appendUserFields } from './user-fields.ts';

/** `user` is null for a deletion, and for an invalid record after a manual change of the table. */
type ExportedChange = { kind: string; id: string; at: string; user: ExportedUser | null };

export type ExportedChangesPage = { changes: ExportedChange[]; end: string; hasMore: boolean };

export type Deletion = { id: string; deletedAt: string };

export type ChangedUsers = { users: ExportedUser[]; deletions: Deletion[]; end: string };

/** `start`: a cursor or a time. Keeps all changed users in memory. */
export async function readChangedUsers(
  start: string,
  readPage: (after: string) => Promise<ExportedChangesPage>,
): Promise<ChangedUsers> {
  const last = new Map<string, ExportedChange>();
  for (let after = start; ; ) {
    const { changes, end, hasMore } = await readPage(after);
    for (const change of changes) {
      // Deletes the earlier change first, because a Map would keep its position.
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

export function createChangesReader(client: Client, fields: readonly string[]) {
  const document = appendUserFields(LIST_CHANGES, fields);
  return async (after: string): Promise<ExportedChangesPage> => {
    const { nodes, pageInfo } = (await client.graphql(document, { first: PAGE_SIZE, after })).userChanges;
    // Keeps null in fields without a value, so that an import clears them.
    const changes = nodes.map(({ kind, id, at, user }) => ({ kind, id, at, user: user ?? null }));
    // Never null, although the type of the schema allows it.
    return { changes, end: pageInfo.endCursor ?? after, hasMore: pageInfo.hasNextPage };
  };
}
