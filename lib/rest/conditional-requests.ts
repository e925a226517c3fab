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

/** Only tags in the form of `formatEtag` can match. Throws BAD_USER_INPUT for too many. */
function listVersions(header: string, tags: EntityTag[]): number[] {
  const versions = new Set(tags.flatMap(({ opaque }) => (/^[1-9]\d{0,14}$/.test(opaque) ? [Number(opaque)] : [])));
  if (versions.size > MAX_TAGS) throw invalidInput([header], `may list at most ${MAX_TAGS} entity tags`);
  return [...versions];
}

/**
 * The versions that If-Match allows, or undefined for any. The comparison is strong (RFC 9110 section 13.1.1), so only
 * strong tags can match; without one, the result matches no user.
 */
export function parseIfMatch(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const strong = parseEntityTags(ifMatch).filter(({ weak }) => !weak);
  const versions = listVersions('If-Match', strong);
  return versions.length > 0 ? versions : [NO_VERSION];
}

/**
 * The versions that If-None-Match excludes from a write; undefined for none. The comparison is weak (RFC 9110 section
 * 13.1.2). A malformed list excludes all: nothing is written on a condition that nobody can read.
 */
export function parseIfNoneMatch(ifNoneMatch: string | undefined): number[] | 'any' | undefined {
  if (ifNoneMatch === undefined) return undefined;
  return ENTITY_TAG_LIST.test(ifNoneMatch) ? listVersions('If-None-Match', parseEntityTags(ifNoneMatch)) : 'any';
}

/** Whether If-None-Match lists the version in a read. The comparison is weak. */
export const matchesEtag = (ifNoneMatch: string | undefined, version: number): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || parseEntityTags(ifNoneMatch).some(({ opaque }) => opaque === String(version)));
