import { createHash } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { parse } from 'content-type';
import type * as z from 'zod/mini';
import { normalizeId } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import type { deleteUserInput, Version } from '../users/input.ts';
import type { Conditions } from '../users/read.ts';

type Event = APIGatewayProxyEventV2;

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

export const hasMediaType = ({ headers }: Event, type: string): boolean =>
  headers['content-type'] !== undefined && parse(headers['content-type']).type === type;

export const readIdAndConditions = (event: Event): z.infer<typeof deleteUserInput> => ({
  id: readId(event),
  ...readConditions(event),
});

/** For writes. GET has `readIfMatch`, because a current If-None-Match is not an error there, but 304. */
export const readConditions = (event: Event, options?: TagOptions): Conditions => ({
  ...readIfMatch(event, options),
  ifNotVersion: parseIfNoneMatch(event, options),
});

/** `allowsAnyId`: a tag without an id is a version of any user. Default: the id of the path. */
type TagOptions = { allowsAnyId?: boolean };

export const readIfMatch = (event: Event, options?: TagOptions): Omit<Conditions, 'ifNotVersion'> => ({
  ifVersion: parseIfMatch(event, options),
  ifUnmodifiedSince: parseIfUnmodifiedSince(event.headers),
});

export function readId({ pathParameters, routeKey }: Event): string {
  const id = pathParameters?.id;
  if (id === undefined) throw new Error(`The route ${routeKey} has no path parameter "id"`);
  return normalizeId(id);
}

/**
 * Returns an array for a repeated parameter, because API Gateway joins the values by commas, which a value may contain.
 */
export function readQuery({ queryStringParameters = {}, rawQueryString }: Event): object {
  const sent = new Map<string, string[]>();
  // Read all parameters in one pass, because getAll scans all of them for each name.
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
 * Formats a strong entity tag (RFC 9110 section 8.8.3). Hashes the own fields of the response, because a changed
 * default or declaration changes them without a new version. Conditions compare only id and version. Pass the id if the
 * path does not contain it.
 */
export function formatEtag({ version, own }: { version: number; own: object }, id?: string): string {
  const named = id === undefined ? `${version}` : `${id}.${version}`;
  const shown = JSON.stringify(own);
  if (shown === '{}') return `"${named}"`;
  return `"${named}-${createHash('sha256').update(shown).digest('base64url').slice(0, HASH_LENGTH)}"`;
}

const HASH_LENGTH = 11;
const OPAQUE = new RegExp(`^((?<id>[\\da-f-]{36})\\.)?(?<version>[1-9]\\d{0,14})(-[\\w-]{${HASH_LENGTH}})?$`);

/** Matches the tags of a list (RFC 9110 section 8.8.3). Lists may have empty elements (section 5.6.1). */
const ENTITY_TAG = /(?<weak>W\/)?"(?<opaque>[^"]*)"/g;
const ENTITY_TAG_LIST = /^[\s,]*(?:(?:W\/)?"[^"]*"\s*(?:,[\s,]*|$))+$/;

const MAX_TAGS = 100;

type EntityTag = { weak: boolean; opaque: string };

type ConditionHeader = 'If-Match' | 'If-None-Match';

/** Throws BAD_USER_INPUT for too many tags and a malformed list: 412 would claim that the user has changed. */
function parseEntityTags(name: ConditionHeader, header: string): EntityTag[] {
  const tags = findEntityTags(header);
  if (!tags) throw invalidInput([name], 'must be * or entity tags in double quotes, such as "3"');
  if (tags.length > MAX_TAGS) throw invalidInput([name], `may list at most ${MAX_TAGS} entity tags`);
  return tags;
}

function findEntityTags(header: string): EntityTag[] | undefined {
  if (!ENTITY_TAG_LIST.test(header)) return undefined;
  return [...header.matchAll(ENTITY_TAG)].map(({ groups = {} }) => ({
    weak: groups.weak !== undefined,
    opaque: groups.opaque ?? '',
  }));
}

/** Skips tags that `formatEtag` cannot create, or that lack the id although the path does, too. */
const listVersions = (
  tags: EntityTag[],
  { pathParameters }: Event,
  { allowsAnyId = false }: TagOptions = {},
): Version[] =>
  tags.flatMap(({ opaque }) => {
    const { version, id = pathParameters?.id } = OPAQUE.exec(opaque)?.groups ?? {};
    if (!version || (!id && !allowsAnyId)) return [];
    return [{ id: id && normalizeId(id), version: Number(version) }];
  });

/**
 * Returns the allowed versions, or undefined for any. The comparison is strong (RFC 9110 section 13.1.1): weak tags
 * match no user.
 */
function parseIfMatch(event: Event, options?: TagOptions): Version[] | undefined {
  const header = event.headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const strong = parseEntityTags('If-Match', header).filter(({ weak }) => !weak);
  return listVersions(strong, event, options);
}

/** Returns the excluded versions, or undefined for none. The comparison is weak (RFC 9110 section 13.1.2). */
function parseIfNoneMatch(event: Event, options?: TagOptions): Version[] | 'any' | undefined {
  const header = event.headers['if-none-match'];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  return listVersions(parseEntityTags('If-None-Match', header), event, options);
}

/** Renders the response to GET: 304 if If-None-Match is current. Ignores a malformed If-None-Match. */
export function renderUnlessCurrent<Response extends { headers: { etag: string } }>(
  response: Response,
  ifNoneMatch: string | undefined,
): Response | { status: 304; headers: { etag: string } } {
  const { etag } = response.headers;
  const tags = findEntityTags(ifNoneMatch ?? '') ?? [];
  const isCurrent = ifNoneMatch?.trim() === '*' || tags.some(({ opaque }) => `"${opaque}"` === etag);
  return isCurrent ? { status: 304, headers: { etag } } : response;
}

/** The three forms that servers must accept (RFC 9110 section 5.6.7). The last one has no time zone: it means GMT. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, (?<day>\d\d)-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} (?<day>[\d ]\d) \d\d:\d\d:\d\d \d{4}$/,
];

/**
 * Returns ms. Ignores the header together with If-Match, and if malformed (RFC 9110 section 13.1.4). The service never
 * evaluates If-Modified-Since, because a new default changes a response but not its date.
 */
function parseIfUnmodifiedSince(headers: Event['headers']): number | undefined {
  const date = headers['if-unmodified-since'] ?? '';
  if (headers['if-match'] !== undefined) return undefined;
  const form = HTTP_DATES.find((each) => each.test(date));
  const time = new Date(date.endsWith('GMT') ? date : `${date} GMT`);
  // `Date` reads February 30 as March 2.
  return time.getUTCDate() === Number(form?.exec(date)?.groups?.day) ? time.getTime() : undefined;
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/**
 * Repeats the operations' methods, because importing all operations would make the functions larger. A test compares
 * them.
 */
const ALLOWED: Record<string, readonly Method[]> = {
  '': ['GET', 'HEAD', 'POST', 'PUT'],
  '/{id}': ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
};

type Route = { method: Method; path: string; pathMethods?: readonly Method[]; isTurnedOff?(method: string): boolean };

const listAllowed = ({ method, path, pathMethods }: Route): readonly Method[] =>
  pathMethods ?? ALLOWED[path] ?? (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/**
 * GET's function also serves HEAD (RFC 9110 section 9.3.2). The function of GET, or of the first method of a path
 * without GET, answers unsupported methods with 405, where API Gateway would answer 404. A route for ANY method would
 * hide the others in SAM.
 */
export function listRouteMethods(route: Route): readonly Method[] {
  const { method } = route;
  const allowed = listAllowed(route);
  const unsupported = METHODS.filter((other) => !allowed.includes(other));
  if (method === 'GET') return ['GET', 'HEAD', ...unsupported];
  return !allowed.includes('GET') && method === allowed[0] ? [method, ...unsupported] : [method];
}

export function findAllowed(route: Route, { requestContext }: Event): readonly Method[] | undefined {
  const allowed = listAllowed(route).filter((method) => !route.isTurnedOff?.(method));
  return allowed.some((method) => method === requestContext.http.method) ? undefined : allowed;
}
