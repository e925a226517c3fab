import { type Change, type Item, latest, type Store, type Stored } from '../database/store.ts';
import type { Operation } from '../workload/calls.ts';

const ERASURE = /^ERASURES [0-9a-f]/;

const listErased = (items: Stored[]): string[] =>
  items.filter(({ pk, sk }) => ERASURE.test(`${pk} ${sk}`)).map(({ sk }) => sk);

/** Finds remaining personal data, and pending or lost erasures. */
export function checkErasures(store: Store, operations: Operation[]): string[] {
  const items = [...store.all()].filter(latest);
  const erased = listErased(items);
  const requested = operations.flatMap(({ call, outcome }) =>
    call.kind === 'delete' && call.erase && outcome.code === 'OK' ? [call.id] : [],
  );
  const forgotten = requested.filter((id) => !erased.includes(id)).map((id) => `the erasure of ${id} is forgotten`);
  const left = items.flatMap((stored) => {
    const item = latest(stored) as Item;
    const name = `${stored.pk} ${stored.sk}`;
    if (name.startsWith('ERASURES PENDING#') || (ERASURE.test(name) && !item.completedAt))
      return [`the erasure ${name} is not completed`];
    const isOfErased = erased.some((id) => names(item, id));
    return isOfErased && !isAnonymous(stored, item) ? [`${name} is left of an erased user`] : [];
  });
  return [...forgotten, ...left, ...items.flatMap((stored) => checkCompletion(store, stored))];
}

/** Finds personal data that existed when the erasure completed, even if it was removed later. */
function checkCompletion(store: Store, { pk, sk: id, versions }: Stored): string[] {
  const commit = ERASURE.test(`${pk} ${id}`) && versions.find(({ item }) => item?.completedAt)?.commit;
  if (!commit) return [];
  return [...store.all()].flatMap((stored) => {
    const item = stored.versions.findLast((version) => version.commit <= commit)?.item;
    const isLeft = item && names(item, id) && !isAnonymous(stored, item);
    return isLeft ? [`${stored.pk} ${stored.sk} was left of ${id} when the erasure was completed`] : [];
  });
}

/** Ignores the references that a merge leaves on the other user and the moved posts. */
const names = (item: Item, id: string): boolean =>
  JSON.stringify(item, (name, value) => (/^merged(From|Into)?$/.test(name) ? undefined : value)).includes(id);

/** True if only ids, times, versions and callers remain. */
function isAnonymous({ pk, sk }: Stored, item: Item): boolean {
  if (/^(ERASURES|FORMER#|REQUEST#|PAGES|FIELDS)/.test(pk) || /^DELETED(#|$)/.test(sk)) return true;
  return pk.startsWith('CHANGES#') && item.before === undefined && (item.item === undefined || 'NULL' in item.item);
}

/** Finds logs of erased users. Their entries may lack content. */
export function createIsErased(store: Store): (pk: string) => boolean {
  const erased = listErased([...store.all()]);
  return (pk) => erased.some((id) => pk.endsWith(`#${id}`));
}

/** Returns the commit of the last request to erase the user. */
export const findErasureRequest = (changes: Change[], id: string): number | undefined =>
  changes.findLast(({ pk, sk, before, after }) => pk === 'ERASURES' && sk === `PENDING#${id}` && !before && after)
    ?.commit;
