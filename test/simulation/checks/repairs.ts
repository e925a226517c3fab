import { type Change, type Item, type Key, latest, readFields, type Store } from '../database/store.ts';
import { formatClaim } from '../workload/calls.ts';

type Users = Map<string, Item>;

/**
 * Matches ids of invocations that repair the table. PURGE also matches invocations that delete posts of deleted users.
 */
const REPAIR = /^(repair|index)/;
const PURGE = /^(repair|index|on-change)/;

const CLAIM = /^(EMAIL|UNIQUE)#/;

/** Finds writes since the commit `from` that were wrong at their time, e.g. claims taken from an owner. */
export function checkRepairs({ changes }: Store, from: number): string[] {
  const users: Users = new Map();
  const problems: string[] = [];
  for (const [commit, written] of Map.groupBy(changes, (change) => change.commit)) {
    const isMoved = ({ sk }: Change) => written.some((other) => other.sk === sk && other.after);
    for (const { pk, sk, after } of written)
      if (sk === 'USER') {
        if (after) users.set(pk, after);
        else users.delete(pk);
      }
    const isChecked = commit >= from && written.every(({ by }) => !/^(restore|import|time to live)/.test(by));
    if (isChecked)
      problems.push(
        ...written.filter((change) => change.after || !isMoved(change)).flatMap((change) => checkWrite(change, users)),
      );
  }
  return problems;
}

function checkWrite(change: Change, users: Users): string[] {
  const { pk, sk, by, before, after } = change;
  const name = `${by}: ${pk} ${sk}`;
  if (CLAIM.test(pk)) return checkClaim(change, users).map((problem) => `${name} ${problem}`);
  if (!before || after) return [];
  if (PURGE.test(by) && sk.startsWith('POST#') && users.has(pk)) return [`${name} was deleted, whose author is there`];
  return [];
}

/**
 * Finds a wrong write of a claim. A claim may replace only a stale claim or a younger user's. Clients may remove claims
 * of unique fields, because the previous release may set the value meanwhile.
 */
function checkClaim({ pk, by, before, after }: Change, users: Users): string[] {
  const [last, next] = [before, after].map((claim) => claim?.userId?.S);
  const isMadeWrong = next !== undefined && !hasValue(users.get(`USER#${next}`), pk);
  const isTaken = last !== undefined && last !== next && hasValue(users.get(`USER#${last}`), pk);
  const isForOlder = last !== undefined && next !== undefined && next < last;
  const isRemoved = next === undefined && !pk.startsWith('EMAIL#') && !REPAIR.test(by);
  // The current release does not declare hobby, so it may remove claims of hobby.
  const isDeclared = !pk.startsWith('UNIQUE#hobby#');
  return [
    ...(isMadeWrong ? [`was made for ${next}, who does not have the value`] : []),
    ...(isTaken && isDeclared && !isForOlder && !isRemoved ? [`was taken from ${last}, who has the value`] : []),
  ];
}

const hasValue = (user: Item | undefined, pk: string): boolean =>
  user !== undefined && listClaimKeys(user).some((key) => key.pk === pk);

/** Lists a user's claims as if all own fields except motto were unique. */
export function listClaimKeys(user: Item): Key[] {
  const { motto: _, ...unique } = readFields(user);
  return Object.entries({ email: user.email?.S ?? '', ...unique }).map(([field, value]) => {
    const text = formatClaim(field, value).slice(field.length + 1);
    return field === 'email' ? { pk: `EMAIL#${text}`, sk: 'EMAIL' } : { pk: `UNIQUE#${field}#${text}`, sk: 'UNIQUE' };
  });
}

/** Returns posts without an author. */
export function checkOrphans(store: Store): string[] {
  const items = [...store.all()].filter(latest);
  const users = new Set(items.filter(({ sk }) => sk === 'USER').map(({ pk }) => pk));
  return items.flatMap(({ pk, sk }) => (sk.startsWith('POST#') && !users.has(pk) ? [`${pk} ${sk} has no author`] : []));
}
