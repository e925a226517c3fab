import { formatClaim } from '../workload/calls.ts';
import type { OwnValues, Release } from '../workload/own-fields.ts';

/**
 * The id of a user, by the value that only this user may have. A release for which a field is not unique makes and releases
 * no claims of its values: some are missing then, and some name a user who has the value no longer.
 */
export type Claims = Record<string, string>;

const RELEASES: Release[] = ['current', 'previous'];

type Valued = { email: string; fields: OwnValues };

function listClaims({ email, fields: { nickname, badge, hobby } }: Valued, release: Release): string[] {
  const own = release === 'current' ? { nickname, badge } : { hobby };
  return Object.entries({ email, ...own }).flatMap(([field, value]) =>
    value === undefined ? [] : [formatClaim(field, value)],
  );
}

/** Finds the user who has the claim of a value, and the value. */
export function findOwner(claims: Claims, users: Record<string, Valued>, claim: string): string | undefined {
  const id = claims[claim];
  const user = id === undefined ? undefined : users[id];
  const isOwner = user && RELEASES.some((release) => listClaims(user, release).includes(claim));
  return isOwner ? id : undefined;
}

/** A write that meets a claim of a value that its user has no longer removes it first, also if it fails then. */
export const listStaleClaims = (claims: Claims, users: Record<string, Valued>): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([claim]) => findOwner(claims, users, claim) === undefined));

/**
 * The previous release may give a user a value again whose claim is stale, and leaves the claim as it is: a write that has met the
 * claim before may still remove it, until the user is given the value by a release that makes the claim again.
 */
export function listDoubtful(
  { claims, users, doubtful }: { claims: Claims; users: Record<string, Valued>; doubtful: Claims },
  id: string,
  next: Valued,
  release: Release,
): Claims {
  const [before, after] = [users[id], next].map((user) => (user ? listClaims(user, 'current') : []));
  const given = (after ?? []).filter((claim) => !before?.includes(claim));
  const rest = Object.fromEntries(Object.entries(doubtful).filter(([claim]) => !given.includes(claim)));
  if (release === 'current') return rest;
  const left = given.filter((claim) => !claim.startsWith('email ') && claims[claim] === id);
  return { ...rest, ...Object.fromEntries(left.map((claim) => [claim, id])) };
}

/** Leaves out the claims that may be gone. */
export const withoutDoubtful = (claims: Claims, doubtful: Claims): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([claim, id]) => doubtful[claim] !== id));

/** Returns the claims after a user has become the next one; undefined if another user has a value of it. */
export function changeClaims(
  { claims, users }: { claims: Claims; users: Record<string, Valued> },
  id: string,
  next: Valued | undefined,
  release: Release,
): Claims | undefined {
  const [before = [], after = []] = [users[id], next].map((user) => user && listClaims(user, release));
  const changed = { ...claims };
  for (const claim of before) if (!after.includes(claim) && claims[claim] === id) delete changed[claim];
  for (const claim of after) {
    if (before.includes(claim)) continue;
    if (findOwner(claims, users, claim) !== undefined) return undefined;
    changed[claim] = id;
  }
  return changed;
}

/**
 * Tells which values lack their claim once a maintenance run has completed them: of users with the same value, the oldest has it.
 * It tells as well which claims of these fields, by default of the one that is no longer declared, are of users without the value.
 */
export function checkClaims(table: { claims: Claims; users: Record<string, Valued> }, fields = ['hobby']): string[] {
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
