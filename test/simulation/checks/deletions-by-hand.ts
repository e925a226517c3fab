import { type Change, isByHand, latest, type Store, type Stored } from '../database/store.ts';

/** Checks each deletion of a user by hand, once `on-change` has seen it at the time in `consumed`. */
export function checkDeletionsByHand(store: Store, consumed: Map<number, number>): string[] {
  return store.changes.flatMap((change) => {
    if (!isByHand(change) || change.sk !== 'USER') return [];
    const seenAt = consumed.get(change.position);
    if (seenAt === undefined) return [`on-change has not seen the deletion of ${change.pk} by hand`];
    return [...checkDerived(store, change, seenAt), ...checkRecord(store, change)];
  });
}

/** Finds derived items that the deleted user has left. Another user may have taken a claim. */
function checkDerived(store: Store, { pk, before }: Change, seenAt: number): string[] {
  const id = pk.slice('USER#'.length);
  return (before?.derived?.L ?? []).flatMap(({ S = '' }) => {
    const item = readAt(store.find(parseRecorded(S, id)), seenAt);
    const isLeft = item !== undefined && (item.userId === undefined || item.userId.S === id);
    return isLeft ? [`${S} is left of ${id}, who was deleted by hand`] : [];
  });
}

function parseRecorded(text: string, id: string): { pk: string; sk: string } {
  const [pk = '', value] = text.split('\t');
  if (value !== undefined) return { pk, sk: `${value}${id}` };
  return { pk, sk: pk.startsWith('EMAIL#') ? 'EMAIL' : 'UNIQUE' };
}

const readAt = (stored: Stored | undefined, time: number) => stored?.versions.findLast(({ at }) => at <= time)?.item;

/** The deletion counts as a version, so that a returning user has a higher one. */
function checkRecord(store: Store, { pk, position, before }: Change): string[] {
  const isLater = (change: Change) => change.pk === pk && change.sk === 'USER' && change.position > position;
  if (store.changes.some(isLater)) return [];
  const stored = store.find({ pk, sk: 'DELETED' });
  const record = stored && latest(stored);
  const version = Number(before?.version?.N) + 1;
  return record?.version?.N === String(version) && !record.by?.S
    ? []
    : [`the deletion record of ${pk} is ${JSON.stringify(record)}, not of version ${version}`];
}
