import { type Change, type Item, latest, type Store } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';

const isPost = ({ sk }: Change) => sk.startsWith('POST#');

/**
 * Checks the posts of merged users, once all changes are consumed. A move keeps the own part of the id, so a post is
 * never there twice. `on-change` may delete a post only if neither its author nor an heir exists.
 */
export function checkMergedPosts(store: Store, operations: Operation[]): string[] {
  if (!operations.some(({ call }) => call.kind === 'merge')) return [];
  return [...checkMoves(store.changes), ...checkPlaces(store, operations)];
}

function checkMoves(changes: Change[]): string[] {
  const problems: string[] = [];
  const places = new Map<string, Set<string>>();
  const users = new Set<string>();
  const heirs = new Map<string, string>();
  for (const written of Map.groupBy(changes, ({ commit }) => commit).values()) {
    for (const { pk, sk, after } of written) {
      if (sk === 'USER') users[after ? 'add' : 'delete'](pk);
      if (sk === 'DELETED') setHeir(heirs, pk, after);
      if (!sk.startsWith('POST#')) continue;
      const place = places.get(sk) ?? new Set();
      place[after ? 'add' : 'delete'](pk);
      places.set(sk, place);
    }
    for (const change of written.filter(isPost)) problems.push(...checkPost(change, written, { places, users, heirs }));
  }
  return problems;
}

function setHeir(heirs: Map<string, string>, pk: string, record: Item | undefined): void {
  if (record?.mergedInto?.S) heirs.set(pk, `USER#${record.mergedInto.S}`);
  else heirs.delete(pk);
}

type Table = { places: Map<string, Set<string>>; users: Set<string>; heirs: Map<string, string> };

function checkPost(change: Change, written: Change[], { places, users, heirs }: Table): string[] {
  const { pk, sk, by, before, after } = change;
  const name = `${by}: ${pk} ${sk}`;
  if ((places.get(sk)?.size ?? 0) > 1) return [`${name} is there twice`];
  if (!by.startsWith('on-change') || !before || after) return [];
  const moved = written.find((other) => other.sk === sk && other.after)?.after;
  if (moved)
    return ['title', 'publishedAt', 'createdAt'].flatMap((attribute) =>
      JSON.stringify(moved[attribute]) === JSON.stringify(before[attribute]) ? [] : [`${name} has lost ${attribute}`],
    );
  let heir: string | undefined = pk;
  while (heir !== undefined && !users.has(heir)) heir = heirs.get(heir);
  return heir === undefined ? [] : [`${name} is lost, although ${heir} exists`];
}

/** Each post is with a user. Posts of an undone merge are with the user who was restored. */
function checkPlaces(store: Store, operations: Operation[]): string[] {
  const items = [...store.all()].filter(latest);
  const users = new Set(items.filter(({ sk }) => sk === 'USER').map(({ pk }) => pk));
  const isUndone = (id: string) => {
    const created = store.changes.findLast(({ pk, sk, before }) => pk === `USER#${id}` && sk === 'USER' && !before);
    const operation = operations.find((each) => created?.by.startsWith(`${each.id}/`));
    return users.has(`USER#${id}`) && operation?.call.kind === 'undoMerge';
  };
  return items.flatMap((stored) => {
    const { pk, sk } = stored;
    if (!sk.startsWith('POST#')) return [];
    const last = latest(stored)?.mergedFrom?.L?.at(-1)?.S;
    return [
      ...(users.has(pk) ? [] : [`${pk} ${sk} has no author`]),
      ...(last !== undefined && isUndone(last) ? [`${pk} ${sk} has not returned to ${last}`] : []),
    ];
  });
}
