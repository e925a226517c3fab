import { useEffect } from 'react';
import type { TypedDocument } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { findMembershipField, groupNames, readMemberships, type Value } from '../own-fields.ts';
import { useStore } from '../store.ts';

/** Groups per request. */
const MAX_PART = 20;

/** Prevents a second request for an id. */
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
  for (let at = 0; at < waiting.length; at += MAX_PART) readNames(waiting.slice(at, at + MAX_PART));
  waiting = [];
}

type Names = Record<string, { name: string } | null>;

async function readNames(ids: readonly string[]): Promise<void> {
  const aliases = ids.map((id, at) => [`g${at}`, id] as const);
  const variables = aliases.map(([alias]) => `$${alias}: ID!`).join(', ');
  const groups = aliases.map(([alias]) => `${alias}: group(id: $${alias}) { name }`).join(' ');
  const query: TypedDocument<Names, Record<string, string>> = `query GroupNames(${variables}) { ${groups} }`;
  try {
    const found = await client.graphql(query, Object.fromEntries(aliases));
    groupNames.set(
      (all) => new Map([...all, ...aliases.map(([alias, id]) => [id, found[alias]?.name ?? null] as const)]),
    );
  } catch {
    // The page shows the groups without names. The next component that shows them asks again.
  } finally {
    for (const id of ids) requested.delete(id);
  }
}
