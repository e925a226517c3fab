import { type Change, isRewrite, latest, type Store } from '../database/store.ts';

/** Tells which purges have not ended when all has settled. */
export const checkPurges = (store: Store): string[] =>
  [...store.all()]
    .filter((stored) => stored.sk === 'PURGE' && latest(stored))
    .map(({ pk }) => `the purge of ${pk} has not ended`);

/** Tells which versions of users are not higher than those before: a deletion makes one, and a user who comes back goes on after it. */
export function checkVersions({ changes }: Store): string[] {
  const users = changes.filter((change) => change.pk.startsWith('USER#') && change.sk === 'USER' && !isRewrite(change));
  return [...Map.groupBy(users, ({ pk }) => pk)].flatMap(([pk, ofUser]) => {
    const versions = ofUser.map(readVersion);
    return versions.flatMap((version, at) =>
      version > (versions[at - 1] ?? 0) ? [] : [`${pk} has version ${version} after ${versions[at - 1]}`],
    );
  });
}

const readVersion = ({ before, after }: Change) => Number(after?.version?.N ?? Number(before?.version?.N) + 1);

const HOUR = 3_600_000;

/**
 * Items are kept for so long: the contract promises a day of idempotency keys and changes, the stream delivers records for
 * a day, after which nobody asks for records of deletions, the indexer may fail for a week, and slots are held for as long as a stream lasts.
 */
const RETENTION: { key: RegExp; least: number; most: number; isErased?: true }[] = [
  // The highest version of a user is kept for ever, but for an erased person.
  { key: /^USER#\S+ DELETED$/, least: 35 * 24 * HOUR, most: 37 * 24 * HOUR, isErased: true },
  { key: /^USER#\S+ DELETED#/, least: 48 * HOUR, most: 48 * HOUR },
  { key: /^REQUEST#/, least: 24 * HOUR, most: 24 * HOUR },
  { key: /^CHANGES#\S+#ALL /, least: 24 * HOUR, most: 26 * HOUR },
  // An erasure finds by them what else tells of the user.
  { key: /^CHANGES#/, least: 48 * HOUR, most: 50 * HOUR },
  // A restore goes back 35 days.
  { key: /^ERASURES [0-9a-f]/, least: 35 * 24 * HOUR, most: 37 * 24 * HOUR },
  { key: /^PAGES#ADJUSTMENTS/, least: 7 * 24 * HOUR, most: 7 * 24 * HOUR },
  // Slots that have expired may be freed at any time, which leaves the time of their item as it is.
  { key: /^STREAMS/, least: Number.NEGATIVE_INFINITY, most: HOUR / 30 },
];

/** Clocks differ, and a write may be under way for a while. */
const TOLERANCE_MS = 30_000;

/** Tells what is wrong with the time to live of the items that were written: other items have none. */
export function checkRetention({ changes }: Store): string[] {
  return changes.flatMap(({ pk, sk, at, before, after }) => {
    const kind = sk === 'HEAD' ? undefined : RETENTION.find((each) => each.key.test(`${pk} ${sk}`));
    if (kind?.isErased && after && (after.erasure?.S === 'completed') !== (after.expiresAt !== undefined))
      return [`${pk} ${sk} is kept as if the person were ${after.expiresAt ? '' : 'not '}erased`];
    if (after?.expiresAt === undefined) return kind && after && !kind.isErased ? [`${pk} ${sk} is kept for ever`] : [];
    // An erasure changes entries that stay as long as before.
    if (before?.expiresAt?.N === after.expiresAt.N) return [];
    const kept = Number(after.expiresAt.N) * 1000 - at;
    const isRight = kind && kept >= kind.least - TOLERANCE_MS && kept <= kind.most + TOLERANCE_MS;
    return isRight ? [] : [`${pk} ${sk} is kept for ${Math.round(kept / 1000)} s`];
  });
}
