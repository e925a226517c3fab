import { formatClaim } from '../workload/calls.ts';
import type { OwnValues, Release } from '../workload/own-fields.ts';

/** User ids by claimed value. A release keeps the other release's claims while their users have the values. */
export type Claims = Record<string, string>;

const RELEASES: Release[] = ['current', 'previous'];

type Valued = { email: string; fields: OwnValues };

function listClaims({ email, fields: { nickname, badge, hobby } }: Valued, release: Release): string[] {
  const own = release === 'previous' ? { hobby } : { nickname, badge };
  return Object.entries({ email, ...own }).flatMap(([field, value]) =>
    value === undefined ? [] : [formatClaim(field, value)],
  );
}

export function findOwner(claims: Claims, users: Record<string, Valued>, claim: string): string | undefined {
  const id = claims[claim];
  const user = id === undefined ? undefined : users[id];
  return user && hasValue(user, claim) ? id : undefined;
}

export const hasValue = (user: Valued, claim: string): boolean =>
  RELEASES.some((release) => listClaims(user, release).includes(claim));

/** Returns claims of values that their users do not have. */
export const listStaleClaims = (claims: Claims, users: Record<string, Valued>): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([claim]) => findOwner(claims, users, claim) === undefined));

/** Returns the claims after a write. Undefined if another user owns a new value. */
export function changeClaims(
  { claims, users }: { claims: Claims; users: Record<string, Valued> },
  id: string,
  next: Valued | undefined,
  release: Release,
): Claims | undefined {
  const held = next ? RELEASES.flatMap((each) => listClaims(next, each)) : [];
  const changed = Object.fromEntries(
    Object.entries(claims).filter(([claim, owner]) => owner !== id || held.includes(claim)),
  );
  const before = users[id] ? listClaims(users[id], release) : [];
  for (const claim of next ? listClaims(next, release) : []) {
    const owner = findOwner(changed, users, claim);
    if (owner === undefined) changed[claim] = id;
    // A user may keep a value that several users have had since before the field was unique.
    else if (owner !== id && !before.includes(claim)) return undefined;
  }
  return changed;
}

/**
 * Finds missing claims, and claims of these fields without a user. The oldest user with a value must have the claim.
 */
export function checkClaims(table: { claims: Claims; users: Record<string, Valued> }, fields: string[]): string[] {
  const { claims, users } = table;
  const owners: Claims = {};
  for (const [id, user] of Object.entries(users).sort())
    for (const claim of listClaims(user, 'current')) owners[claim] ??= id;
  const missing = Object.entries(owners)
    .filter(([claim, id]) => claims[claim] !== id)
    .map(([claim, id]) => `the claim of ${claim} is of ${claims[claim]}, not of ${id}`);
  const stale = Object.keys(listStaleClaims(claims, users))
    .filter((claim) => fields.some((field) => claim.startsWith(`${field} `)))
    .map((claim) => `the claim of ${claim} is left of ${claims[claim]}`);
  return [...missing, ...stale];
}

/** Finds missing claims, and claims of a field that the current release does not declare. */
export function checkDeployedClaims(table: { claims: Claims; users: Record<string, Valued> }): string[] {
  const former = Object.keys(table.claims).filter((claim) => claim.startsWith('hobby '));
  return [...checkClaims(table, []), ...former.map((claim) => `the claim of ${claim} is left`)];
}
