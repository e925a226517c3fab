import { useEffect } from 'react';
import { findGroups, MAX_ALIASES } from '../../../transfer/service-groups.ts';
import { client } from '../api/client.ts';
import { findMembershipField, groupNames, readMemberships, type Value } from '../own-fields.ts';
import { useStore } from '../store.ts';

/** Groups in waiting and running requests. */
const requested = new Set<string>();
let waiting: string[] = [];

/** Components that call it render again once the names for `formatValue` are known. */
export function useGroupNames(...memberships: (Value | undefined)[]): void {
  const known = useStore(groupNames);
  // Otherwise, an own field may have the name `groups`.
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
  for (let at = 0; at < waiting.length; at += MAX_ALIASES) readNames(waiting.slice(at, at + MAX_ALIASES));
  waiting = [];
}

async function readNames(ids: readonly string[]): Promise<void> {
  try {
    const groups = await findGroups(client, { ids, externalIds: [] });
    const missing = ids.map((id) => [id, null] as const);
    groupNames.set((all) => new Map([...all, ...missing, ...groups.map(({ id, name }) => [id, name] as const)]));
  } catch {
    // The page shows the groups without names. The next component that shows them asks again.
  } finally {
    for (const id of ids) requested.delete(id);
  }
}
