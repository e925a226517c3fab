import { invalidInput } from '../errors.ts';

/** A strong validator (RFC 9110 section 8.8.3): a user's version counts every write, whichever door made it. */
export const formatEtag = (version: number) => `"${version}"`;

const ENTITY_TAG = /(?<weak>W\/)?"(?<opaque>[^"]*)"/g;
const MAX_TAGS = 100;

/** RFC 9110 section 13.1.1: a comma-separated list; what is none holds no tag. */
const LIST = /^\s*(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*\s*$/;

const parseEntityTags = (header: string) =>
  !LIST.test(header)
    ? []
    : [...header.matchAll(ENTITY_TAG)].map(({ groups = {} }) => ({
        weak: Boolean(groups.weak),
        opaque: groups.opaque ?? '',
      }));

/**
 * The versions that an If-Match allows (RFC 9110 section 13.1.1), undefined for any. Only strong tags of ours can match;
 * where there are none, version 0 stands for "never given".
 */
export function parseIfMatch(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const strong = parseEntityTags(ifMatch).filter(({ weak, opaque }) => !weak && /^[1-9]\d{0,14}$/.test(opaque));
  const versions = new Set(strong.map(({ opaque }) => Number(opaque)));
  if (versions.size > MAX_TAGS) throw invalidInput(['If-Match'], `If-Match may list at most ${MAX_TAGS} entity tags`);
  return versions.size > 0 ? [...versions] : [0];
}

/** If-None-Match compares weakly (RFC 9110 section 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, version: number) =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' ||
    parseEntityTags(ifNoneMatch).some(({ opaque }) => `"${opaque}"` === formatEtag(version)));
