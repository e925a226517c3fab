import { createHash } from 'node:crypto';
import { parse } from 'content-type';
import type * as z from 'zod/mini';
import { normalizeId } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import type { deleteUserInput } from '../users/input.ts';
import type { Event, Operation } from './operation.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** The pipeline has rejected what is no media type. */
export const hasMediaType = ({ headers }: Event, type: string): boolean =>
  headers['content-type'] !== undefined && parse(headers['content-type']).type === type;

/** The user to write, and the conditions of the write (RFC 9110 section 13). */
export const readIdAndConditions = (event: Event): z.infer<typeof deleteUserInput> => ({
  id: readId(event),
  ifVersion: parseIfMatch(event.headers['if-match']),
  ifNotVersion: parseIfNoneMatch(event.headers['if-none-match']),
  ifUnmodifiedSince: parseIfUnmodifiedSince(event.headers),
});

export function readId({ pathParameters, routeKey }: Event): string {
  const id = pathParameters?.id;
  if (id === undefined) throw new Error(`The route ${routeKey} has no path parameter "id"`);
  return normalizeId(id);
}

/** The values of a repeated parameter are an array: API Gateway joins them with commas, which one value may contain, too. */
export function readQuery({ queryStringParameters = {}, rawQueryString }: Event): object {
  const sent = new Map<string, string[]>();
  // One pass: getAll would read all parameters for each name.
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const values = sent.get(name);
    if (values) values.push(value);
    else sent.set(name, [value]);
  }
  const query = Object.entries(queryStringParameters).map(([name, value]) => {
    const values = sent.get(name) ?? [];
    return [name, values.length > 1 ? values : value];
  });
  return Object.fromEntries(query);
}

/**
 * The entity tag of a user is strong (RFC 9110 section 8.8.3). Each write increments the version, and a hash covers own fields, which
 * change without a write when a default or a declaration does. Conditions of writes compare versions only.
 */
export function formatEtag({ version, own }: { version: number; own: object }): string {
  const shown = JSON.stringify(own);
  if (shown === '{}') return `"${version}"`;
  return `"${version}-${createHash('sha256').update(shown).digest('base64url').slice(0, HASH_LENGTH)}"`;
}

const HASH_LENGTH = 11;
const OPAQUE = new RegExp(`^(?<version>[1-9]\\d{0,14})(-[\\w-]{${HASH_LENGTH}})?$`);

/** RFC 9110 section 8.8.3; empty list elements are ignored (section 5.6.1). */
const ENTITY_TAG = /(?<weak>W\/)?"(?<opaque>[^"]*)"/g;
const ENTITY_TAG_LIST = /^[\s,]*(?:(?:W\/)?"[^"]*"\s*(?:,[\s,]*|$))+$/;

export const MAX_TAGS = 100;

/** Versions count from 1. */
const NO_VERSION = 0;

type EntityTag = { weak: boolean; opaque: string };

/** A malformed list has no tags. */
export function parseEntityTags(header: string): EntityTag[] {
  if (!ENTITY_TAG_LIST.test(header)) return [];
  return [...header.matchAll(ENTITY_TAG)].map(({ groups = {} }) => ({
    weak: groups.weak !== undefined,
    opaque: groups.opaque ?? '',
  }));
}

/** Only tags in the form of `formatEtag` can match. Throws BAD_USER_INPUT for too many. */
function listVersions(header: string, tags: EntityTag[]): number[] {
  const versions = new Set(tags.flatMap(({ opaque }) => OPAQUE.exec(opaque)?.groups?.version ?? []).map(Number));
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
function parseIfNoneMatch(ifNoneMatch: string | undefined): number[] | 'any' | undefined {
  if (ifNoneMatch === undefined) return undefined;
  return ENTITY_TAG_LIST.test(ifNoneMatch) ? listVersions('If-None-Match', parseEntityTags(ifNoneMatch)) : 'any';
}

/** Returns whether If-None-Match of a read lists the entity tag. The comparison is weak. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || parseEntityTags(ifNoneMatch).some(({ opaque }) => `"${opaque}"` === etag));

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** RFC 9110 section 13.1.4: ignored beside If-Match, and if it is no date. If-Modified-Since is never evaluated: a new default changes no date. */
export function parseIfUnmodifiedSince(headers: Event['headers']): number | undefined {
  const date = headers['if-unmodified-since'] ?? '';
  if (headers['if-match'] !== undefined || !HTTP_DATE.test(date)) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}

/** The methods that API Gateway can route. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The methods of the paths that have several operations. A test compares them with the operations, whose schemas would
 * make the functions larger.
 */
const ALLOWED: Record<string, readonly Method[]> = {
  '': ['GET', 'HEAD', 'POST'],
  '/{id}': ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
};

type Route = Pick<Operation, 'method' | 'path' | 'pathMethods' | 'isTurnedOff'>;

const listAllowed = ({ method, path, pathMethods }: Route): readonly Method[] =>
  pathMethods ?? ALLOWED[path] ?? (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/**
 * The methods that an operation's function has routes for. That of GET has also HEAD (RFC 9110 section 9.3.2), and the
 * methods that its path does not allow, which it answers with 405: API Gateway itself would answer 404. SAM would let one
 * route for ANY method hide the other routes of its path.
 */
export function listRouteMethods(route: Route): readonly Method[] {
  const allowed = listAllowed(route);
  return route.method === 'GET'
    ? ['GET', 'HEAD', ...METHODS.filter((other) => !allowed.includes(other))]
    : [route.method];
}

/** The methods of the path if that of the request is none of them. */
export function findAllowed(route: Route, { requestContext }: Event): readonly Method[] | undefined {
  const allowed = listAllowed(route).filter((method) => !route.isTurnedOff?.(method));
  return allowed.some((method) => method === requestContext.http.method) ? undefined : allowed;
}
