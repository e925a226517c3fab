import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { environment } from '../environment.ts';
import { invalidInput } from '../errors.ts';
import type { ListUsers, UserPage } from '../users/criteria.ts';
import { pickClientMembers, type User } from '../users/user.ts';
import { formatEtag } from './requests.ts';

type RenderedList = {
  body: unknown;
  headers: Pick<HeaderValues, 'links' | 'totalCount' | 'preferenceApplied'>;
};

export type ResponseFormat = {
  name: 'enveloped' | 'bare';
  path: string;
  /** Client generators create a class per tag, and append the suffix to names: `createUserEnveloped`. */
  tag: string;
  suffix: '' | 'Enveloped';
  include: Include;
  renderRecord(record: object): unknown;
  renderList(page: UserPage, query: ListUsers): RenderedList;
};

/** Value of the query parameter `include`. */
type Include = 'times' | undefined;

function toRecord(user: User, include: Include): object {
  const { id, createdAt, updatedAt, version } = user;
  return { id, ...pickClientMembers(user), ...(include ? { createdAt, updatedAt, version } : {}) };
}

/** Maximum bytes of a list. Lambda limits a response to 6 MB, with the body as a JSON string. */
const MAX_LIST_BYTES = 5_500_000;

const hasNoOwnFields = ({ own }: User) => Object.keys(own).length === 0;

function countThatFit(users: User[], include: Include): number {
  if (users.every(hasNoOwnFields)) return users.length;
  let bytes = 0;
  const tooMany = users.findIndex((user) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(toRecord(user, include))));
    return bytes > MAX_LIST_BYTES;
  });
  return tooMany < 0 ? users.length : tooMany;
}

const repeatParameters = ({ order, criteria = [] }: ListUsers, include: Include): PageLink['query'] => ({
  include,
  order: order === 'desc' ? order : undefined,
  ...Object.assign({}, ...criteria.map(({ parameters }) => parameters)),
});

const ENVELOPED_PATH = '/api/users';

const createEnveloped = (include: Include): ResponseFormat => ({
  name: 'enveloped',
  path: ENVELOPED_PATH,
  tag: 'Users (enveloped)',
  suffix: 'Enveloped',
  include,
  renderRecord: (record) => ({ data: record }),
  renderList: (page, query) => {
    const count = countThatFit(page.users, include);
    const users = page.users.slice(0, count);
    const next = count < page.users.length ? (page.cursors?.[count - 1] ?? users.at(-1)?.id) : page.next;
    return {
      body: { data: users.map((user) => toRecord(user, include)), meta: { total: users.length } },
      headers: {
        links: next
          ? [{ rel: 'next', path: ENVELOPED_PATH, query: { after: next, ...repeatParameters(query, include) } }]
          : [],
        ...renderCount(page, query),
      },
    };
  },
});

const BARE_PATH = '/v1/users';

const createBare = (include: Include): ResponseFormat => ({
  name: 'bare',
  path: BARE_PATH,
  tag: 'Users',
  suffix: '',
  include,
  renderRecord: (record) => record,
  renderList: (page, query) => {
    // Throws instead of dropping users, because a shorter page would shift all later page numbers.
    if (countThatFit(page.users, include) < page.users.length)
      throw invalidInput(['limit'], `must be lower: the users take more than ${MAX_LIST_BYTES} bytes together`);
    const headers = { links: linkPages(page, query, include), totalCount: page.total, ...renderCount(page, query) };
    return { body: page.users.map((user) => toRecord(user, include)), headers };
  },
});

/** Renders the headers of a count (RFC 7240 section 3). */
const renderCount = ({ total }: UserPage, { isCounted }: ListUsers): RenderedList['headers'] =>
  isCounted && total !== undefined ? { totalCount: total, preferenceApplied: 'count=exact' } : {};

function linkPages({ next, total }: UserPage, query: ListUsers, include: Include): PageLink[] {
  const { page = 1, limit } = query;
  const link = (rel: string, page: number | undefined, after?: string) => ({
    rel,
    path: BARE_PATH,
    query: { page, limit, after, ...repeatParameters(query, include) },
  });
  if (query.page === undefined || total === undefined) return next ? [link('next', undefined, next)] : [];
  const last = Math.max(1, Math.ceil(total / limit));
  return [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(next ? [link('next', page + 1, next)] : []),
    link('last', last),
  ];
}

const createFormats = (include: Include) => [createEnveloped(include), createBare(include)];

export const responseFormats = createFormats(undefined);
/** For requests with `include=times`. */
export const timedFormats = createFormats('times');

export const renderUser = (user: User, format: ResponseFormat) => ({
  body: format.renderRecord(toRecord(user, format.include)),
  headers: { etag: formatEtag(user), lastModified: user.updatedAt },
});

export function createResponse(
  statusCode: number,
  body: unknown,
  values: HeaderValues,
  mediaType = 'application/json',
): APIGatewayProxyStructuredResultV2 {
  const headers = renderHeaders(values);
  if (body === undefined) return { statusCode, headers };
  // Keep browsers from running the body as a script.
  const bodyHeaders = { 'content-type': mediaType, 'x-content-type-options': 'nosniff' };
  return { statusCode, headers: { ...bodyHeaders, ...headers }, body: JSON.stringify(body) };
}

/** `since`: when deprecated. `sunset`: when removed. `link`: describes the replacement. */
export type Deprecation = { since: Date; sunset?: Date; link?: string };

/** A link to another page of the list (RFC 8288). */
type PageLink = {
  rel: string;
  path: string;
  query: Record<string, string | number | readonly string[] | undefined>;
};

export type HeaderValues = {
  etag?: string | undefined;
  /** ISO 8601. */
  lastModified?: string | undefined;
  location?: string | undefined;
  isRepetition?: boolean | undefined;
  links?: PageLink[] | undefined;
  totalCount?: number | undefined;
  preferenceApplied?: string | undefined;
  retryAfterSeconds?: number | undefined;
  allow?: readonly string[] | undefined;
  acceptEncoding?: readonly string[] | undefined;
  acceptPatch?: readonly string[] | undefined;
  challenge?: string | undefined;
  signInOutcome?: 'found' | 'linked' | 'created' | undefined;
  emailConflict?: boolean | undefined;
  /** Name of the file, in characters that need no quoting. */
  attachment?: string | undefined;
  cacheControl?: 'no-store' | 'private, no-cache' | undefined;
  deprecation?: Deprecation | undefined;
};

/**
 * Headers of every response of an operation. A cache may reuse a response with Last-Modified for days unless it has
 * Cache-Control (RFC 9111 section 4.2.2).
 */
export const listCommonHeaders = ({
  deprecation,
  isPrivate,
}: {
  deprecation?: Deprecation;
  isPrivate?: boolean;
}): HeaderValues => ({ deprecation, cacheControl: isPrivate ? 'no-store' : 'private, no-cache' });

export type HeaderName = keyof ReturnType<typeof listHeaders>;

export const renderHeaders = (values: HeaderValues): Partial<Record<HeaderName, string>> =>
  Object.fromEntries(Object.entries(listHeaders(values)).filter(([, value]) => value !== undefined));

function listHeaders(values: HeaderValues) {
  const { lastModified, links = [], deprecation } = values;
  return {
    etag: values.etag,
    'last-modified': lastModified && formatLastModified(lastModified),
    location: values.location,
    'idempotency-replayed': values.isRepetition ? 'true' : undefined,
    link: [...formatPageLinks(links), ...formatDeprecationLink(deprecation)].join(', ') || undefined,
    'x-total-count': values.totalCount?.toString(),
    'preference-applied': values.preferenceApplied,
    'retry-after': values.retryAfterSeconds?.toString(),
    allow: values.allow?.join(', '),
    'accept-encoding': values.acceptEncoding?.join(', '),
    'accept-patch': values.acceptPatch?.join(', '),
    'www-authenticate': values.challenge,
    'sign-in-outcome': values.signInOutcome,
    'email-conflict': values.emailConflict ? 'true' : undefined,
    'content-disposition': values.attachment && `attachment; filename="${values.attachment}"`,
    'cache-control': values.cacheControl,
    // Deprecation has a structured-field date (RFC 9745 section 2). Sunset has an HTTP date (RFC 8594 section 3).
    deprecation: deprecation && `@${Math.floor(deprecation.since.getTime() / 1000)}`,
    sunset: deprecation?.sunset?.toUTCString(),
  } satisfies Record<string, string | undefined>;
}

/**
 * Formats an HTTP date (RFC 9110 section 5.6.7). Imported times may be in the future: Last-Modified is then the current
 * time (section 8.8.2.1).
 */
const formatLastModified = (time: string): string =>
  new Date(Math.min(Date.parse(time), environment.now())).toUTCString();

/** API Gateway limits headers to 10,240 bytes, and Node.js clients to 16 kB. */
const MAX_LINK_BYTES = 8_000;

/** Each link repeats the query. Only the next page cannot be found without its link. */
function formatPageLinks(links: PageLink[]): string[] {
  const all = links.map(formatPageLink);
  if (all.join(', ').length <= MAX_LINK_BYTES) return all;
  return links.filter(({ rel }) => rel === 'next').map(formatPageLink);
}

function formatPageLink({ rel, path, query }: PageLink): string {
  const parameters = new URLSearchParams();
  for (const [name, value = []] of Object.entries(query))
    for (const one of [value].flat()) parameters.append(name, String(one));
  return `<${path}?${parameters}>; rel="${rel}"`;
}

/** Formats the link to the replacement (RFC 9745 section 3). */
const formatDeprecationLink = (deprecation: Deprecation | undefined): string[] =>
  deprecation?.link ? [`<${deprecation.link}>; rel="deprecation"; type="text/html"`] : [];
