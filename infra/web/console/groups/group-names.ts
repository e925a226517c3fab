import { useEffect } from 'react';
import { findGroups } from '../../../transfer/service-groups.ts';
import { client } from '../api/client.ts';
import { findMembershipField, groupNames, readMemberships, type Value } from '../own-fields.ts';
import { useStore } from '../store.ts';

/** Groups in waiting and running requests. */
const requested = new Set<string>();
let waiting: string[] = [];

/** Loads missing names. The component renders again once `formatValue` knows them. */
export function useGroupNames(...memberships: (Value | undefined)[]): void {
  const known = useStore(groupNames);
  // The service rejects the query if the setting `groups` is off.
  const shown = findMembershipField() ? memberships : [];
  const ids = shown.flatMap(readMemberships).map(({ id }) => id);
  const missing = ids.filter((id) => !known.has(id)).join(' ');
  useEffect(() => {
    if (missing) requestNames(missing.split(' '));
  }, [missing]);
}

/** Collects the ids of all components that render at the same time. */
function requestNames(ids: readonly string[]): void {
  const added = ids.filter((id) => !requested.has(id));
  if (added.length > 0 && waiting.length === 0) queueMicrotask(readWaiting);
  waiting.push(...added);
  for (const id of added) requested.add(id);
}

function readWaiting(): void {
  readNames(waiting);
  waiting = [];
}

async function readNames(ids: readonly string[]): Promise<void> {
  try {
    const groups = await findGroups(client, { ids, externalIds: [] });
    const missing = ids.map((id) => [id, null] as const);
    groupNames.set((all) => new Map([...all, ...missing, ...groups.map(({ id, name }) => [id, name] as const)]));
  } catch {
    // The page shows the groups without names. The next component that shows them requests the names again.
  } finally {
    for (const id of ids) requested.delete(id);
  }
}
