import { invalidInput } from '../errors.ts';

/** The entity tag of a user: a strong validator (RFC 9110 section 8.8.3), because every write increments the version. */
export const formatEtag = (version: number) => `"${version}"`;

/** RFC 9110 section 8.8.3; empty list elements are ignored (section 5.6.1). */
const ENTITY_TAG = /(?<weak>W\/)?"(?<opaque>[^"]*)"/g;
const ENTITY_TAG_LIST = /^[\s,]*(?:(?:W\/)?"[^"]*"\s*(?:,[\s,]*|$))+$/;

const MAX_TAGS = 100;

/** Versions count from 1. */
const NO_VERSION = 0;

type EntityTag = { weak: boolean; opaque: string };

/** A malformed list has no tags. */
function parseEntityTags(header: string): EntityTag[] {
  if (!ENTITY_TAG_LIST.test(header)) return [];
  return [...header.matchAll(ENTITY_TAG)].map(({ groups = {} }) => ({
    weak: groups.weak !== undefined,
    opaque: groups.opaque ?? '',
  }));
}

/**
 * The versions that If-Match allows, or undefined for any. The comparison is strong (RFC 9110 section 13.1.1), so only
 * strong tags in the form of `formatEtag` can match; without one, the result matches no user.
 */
export function parseIfMatch(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const strong = parseEntityTags(ifMatch).filter(({ weak, opaque }) => !weak && /^[1-9]\d{0,14}$/.test(opaque));
  const versions = new Set(strong.map(({ opaque }) => Number(opaque)));
  if (versions.size > MAX_TAGS) throw invalidInput(['If-Match'], `may list at most ${MAX_TAGS} entity tags`);
  return versions.size > 0 ? [...versions] : [NO_VERSION];
}

/** The comparison is weak (RFC 9110 section 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, version: number): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || parseEntityTags(ifNoneMatch).some(({ opaque }) => opaque === String(version)));
