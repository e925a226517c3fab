import { type Change, isRewrite, latest, type Store } from '../database/store.ts';

/** Finds purges (deletions of deleted users' posts), and returns after undos of merges, that have not ended. */
export const checkPurges = (store: Store): string[] =>
  [...store.all()]
    .filter((stored) => /^(PURGE|RETURN)$/.test(stored.sk) && latest(stored))
    .map(({ pk, sk }) => `the item ${pk} ${sk} has not ended`);

/** Versions of a user must rise. A deletion counts as a version, and a returning user continues after it. */
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
 * Minimum and maximum time until expiry, in ms. The contract promises a day for idempotency keys and changes. The
 * stream keeps records for a day, so consumers need `DELETED#` as long. The indexer may fail for a week.
 */
const RETENTION: { key: RegExp; least: number; most: number; isErased?: true }[] = [
  // A deletion record has the highest version of the user, and expires only after an erasure (`isErased`).
  { key: /^USER#\S+ DELETED$/, least: 35 * 24 * HOUR, most: 37 * 24 * HOUR, isErased: true },
  { key: /^USER#\S+ DELETED#/, least: 48 * HOUR, most: 48 * HOUR },
  { key: /^REQUEST#/, least: 24 * HOUR, most: 24 * HOUR },
  { key: /^CHANGES#\S+#ALL /, least: 24 * HOUR, most: 26 * HOUR },
  // Entries outlive a day, because erasures need former values and posts.
  { key: /^CHANGES#/, least: 48 * HOUR, most: 50 * HOUR },
  // Erasures outlive 35 days: a restore can go back that far, and the copy needs them again.
  { key: /^ERASURES [0-9a-f]/, least: 35 * 24 * HOUR, most: 37 * 24 * HOUR },
  // Former records outlive the entries, which may be logged a day later.
  { key: /^FORMER#/, least: 72 * HOUR, most: 74 * HOUR },
  { key: /^PAGES#ADJUSTMENTS/, least: 7 * 24 * HOUR, most: 7 * 24 * HOUR },
  // The expiry may be in the past: freeing an expired slot keeps it.
  { key: /^STREAMS/, least: Number.NEGATIVE_INFINITY, most: HOUR / 30 },
];

/** Tolerance for clock differences and slow writes. */
const TOLERANCE_MS = 30_000;

export function checkRetention({ changes }: Store): string[] {
  return changes.flatMap(({ pk, sk, at, before, after }) => {
    const kind = sk === 'HEAD' ? undefined : RETENTION.find((each) => each.key.test(`${pk} ${sk}`));
    if (kind?.isErased && after && (after.erasure?.S === 'completed') !== (after.expiresAt !== undefined))
      return [`${pk} ${sk} is kept as if the person were ${after.expiresAt ? '' : 'not '}erased`];
    if (after?.expiresAt === undefined) return kind && after && !kind.isErased ? [`${pk} ${sk} is kept for ever`] : [];
    // Skips writes that keep the expiry: an erasure empties a log entry and keeps its expiry.
    if (before?.expiresAt?.N === after.expiresAt.N) return [];
    const kept = Number(after.expiresAt.N) * 1000 - at;
    const isRight = kind && kept >= kind.least - TOLERANCE_MS && kept <= kind.most + TOLERANCE_MS;
    return isRight ? [] : [`${pk} ${sk} is kept for ${Math.round(kept / 1000)} s`];
  });
}

/** Finds changes of a backfill's record after its end. Only other declarations may start it again. */
export function checkBackfill({ changes }: Store): string[] {
  return changes.flatMap(({ pk, by, before }) =>
    pk.startsWith('FIELDS') && before?.endedAt ? [`${by} changed the record of a backfill that had ended`] : [],
  );
}
