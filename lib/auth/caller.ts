import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from '../environment.ts';
import { forbidden } from '../errors.ts';

/** `sub:…`, `client:…`, an ARN or `anonymous`. Undefined if the token has neither subject nor client. */
export type Caller = string | undefined;

/** Result of `formatCaller`, or SYSTEM. Each version stores it, so it contains no email address. */
export type Actor = string;

/** Actor of changes by the service itself and its scripts. No caller has this name. */
export const SYSTEM: Actor = 'system';

export type Claims = Record<string, unknown>;
type Authorizer = { jwt?: { claims?: Claims }; lambda?: Claims | null; iam?: { userArn?: string } };

const ANONYMOUS = 'anonymous';

/** APIGatewayProxyEventV2 does not declare the authorizer. Only AWS writes it. */
const readAuthorizer = ({ requestContext }: APIGatewayProxyEventV2): Authorizer | undefined =>
  (requestContext as { authorizer?: Authorizer }).authorizer;

export function readCaller(event: APIGatewayProxyEventV2): Caller {
  const authorizer = readAuthorizer(event);
  if (authorizer?.jwt) return readTokenCaller(authorizer.jwt.claims ?? {});
  if (authorizer && 'lambda' in authorizer) return readTokenCaller(authorizer.lambda ?? {});
  return authorizer?.iam?.userArn ? removeSessionName(authorizer.iam.userArn) : ANONYMOUS;
}

/** The subject, or the client if it acts on its own behalf (RFC 9068 section 2.2). */
export function readTokenCaller({ sub, client_id }: Claims): Caller {
  if (isName(sub)) return `sub:${sub}`;
  return isName(client_id) ? `client:${client_id}` : undefined;
}

const isName = (claim: unknown): claim is string => typeof claim === 'string' && claim !== '';

/** All sessions of a role are one caller, so that idempotency keys outlive a refresh of credentials. */
const removeSessionName = (arn: string) => arn.replace(/^(arn:[^:]+:sts::\d+:assumed-role\/.+)\/[^/]+$/, '$1');

/** Anonymous callers share the quota of their network. */
export function toQuotaKey(event: APIGatewayProxyEventV2, caller: Caller): string {
  if (caller !== undefined && caller !== ANONYMOUS) return caller;
  return `network:${toNetwork(readClientAddress(event))}`;
}

/**
 * Keeps only the first half of an IPv6 address, because one subscriber owns all addresses with that half (RFC 6177).
 */
function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** Matches ARNs and generated ids. Excludes @ and other characters of email addresses. */
const PLAIN = /^[A-Za-z0-9:/|_.+=,-]{1,256}$/;

/**
 * Formats a caller for logs and stored versions. Hashes it if it is long or may contain an email address. The runbook
 * has the hash command.
 */
export function formatCaller(caller: Caller): Actor {
  if (caller === undefined) return 'unknown';
  return PLAIN.test(caller) ? caller : hashCaller(caller);
}

const hashCaller = (caller: string): string =>
  `sha256:${createHash('sha256').update(caller).digest('hex').slice(0, 16)}`;

/** Hashes the caller if the token has a scope for people: for own records, or for administrators of a group. */
export function toLogCaller(caller: Caller, claims: Claims | undefined): Caller {
  if (!claims || caller === undefined) return caller;
  const { self, group } = environment.scopes;
  const scopes = readScopes(claims);
  return scopes.has(self) || scopes.has(group) ? hashCaller(caller) : caller;
}

/** CloudFront sets this header (infra/construct/site.ts). */
export const CLIENT_ADDRESS_HEADER = 'true-client-ip';
export const PROXY_KEY_HEADER = 'x-proxy-key';

/**
 * Anyone can send headers to the Function URL, so the address header counts only with the proxy key. X-Forwarded-For is
 * useless: Function URLs keep its first address, which clients can forge.
 */
function readClientAddress({ headers, requestContext }: APIGatewayProxyEventV2): string {
  const { proxyKey } = environment;
  const isFromCloudFront = Boolean(proxyKey) && headers[PROXY_KEY_HEADER] === proxyKey;
  return (isFromCloudFront && headers[CLIENT_ADDRESS_HEADER]) || requestContext.http.sourceIp;
}

/**
 * Throws FORBIDDEN unless AWS has verified the request by the deployed method: during a deploy or rollback, the gateway
 * may have another `auth` setting.
 */
export function requireAuthorizer(event: APIGatewayProxyEventV2): void {
  const { requiredAuthorizer } = environment;
  if (!requiredAuthorizer || readAuthorizer(event)?.[requiredAuthorizer]) return;
  throw forbidden(requiredAuthorizer === 'iam' ? 'The request must be signed' : 'The request must have a token');
}

/** Rejects a repeated header: its values arrive joined by a comma, which no token contains. */
export const readBearerToken = (authorization = ''): string | undefined =>
  /^(?:Bearer +)?([^\s,]+)$/i.exec(authorization)?.[1];

/** `scope` is a string (RFC 8693 section 4.2). `scp` of Okta and Entra ID is a list or a string. */
export function readScopes({ scope, scp }: Claims): Set<string> {
  const names = [scope, scp].flat().filter((names) => typeof names === 'string');
  return new Set(names.flatMap((names) => names.split(' ')).filter(Boolean));
}

/** The claim has one group or a list. Names may contain spaces. */
export const readGroups = (claims: Claims, claim: string): unknown[] => [claims[claim] ?? []].flat();

/**
 * Reads the claims from the token, which the gateway has verified. The gateway's event has claims as strings, where a
 * list of two groups looks like one name with a space.
 */
export function decodeVerifiedClaims(authorization: string | undefined): Claims {
  const payload = readBearerToken(authorization)?.split('.')[1] ?? '';
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    // The gateway accepts more forms of the header than this code.
    throw forbidden('The request must have one bearer token');
  }
}

/**
 * `list`: lists, searches and changes of all users. `self`: only the caller's own record. `group`: only members of the
 * group that the caller administers.
 */
export type Right = keyof typeof environment.scopes;

export const ALL_RIGHTS = Object.keys(environment.scopes) as Right[];

/** `challenge`: value of WWW-Authenticate. */
type Denial = { message: string; challenge: string };

/** RFC 6750 section 3.1. */
export const insufficientScope = (scope?: string): string =>
  `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;

const REQUIRED: Record<Right, readonly Right[]> = {
  read: ['read'],
  list: ['read', 'list'],
  history: ['read', 'history'],
  write: ['write'],
  erase: ['write', 'erase'],
  self: ['self'],
  group: ['group'],
};

/**
 * Undefined if the token grants the right. Scopes limit clients. Groups limit people: if people can register
 * themselves, anyone can get the client's scopes.
 */
export function findDenial(claims: Claims, right: Right): Denial | undefined {
  const { sub } = claims;
  if (sub !== undefined && (typeof sub !== 'string' || sub.trim() === ''))
    return { message: 'The claim sub of the token must not be empty', challenge: insufficientScope() };
  const scopes = readScopes(claims);
  const missing = REQUIRED[right].map((each) => environment.scopes[each]).find((scope) => !scopes.has(scope));
  if (missing !== undefined)
    return { message: `This requires the scope ${missing}`, challenge: insufficientScope(missing) };
  if (right === 'self' || right === 'group') return undefined;
  const { claim, read, write } = environment.groups;
  const required = REQUIRED[right].includes('write') ? write : read;
  if (!required || isClient(claims)) return undefined;
  const groups = readGroups(claims, claim);
  return [required, write].some((group) => group && groups.includes(group))
    ? undefined
    : { message: `This requires membership of the group ${required}`, challenge: insufficientScope() };
}

/** Matches subjects of Auth0's clients. At Auth0, subjects of people contain `|`. */
const AUTH0_CLIENT = /^[^|@\s]+@clients$/;

/**
 * True if a client acts on its own behalf. Its subject is the client (RFC 9068 sections 2.2 and 5). Auth0 adds
 * `@clients` and sets `gty`, Entra ID sets `idtyp`.
 */
export function isClient({ sub, client_id, cid, azp, gty, idtyp }: Claims): boolean {
  if (gty === 'client-credentials' || idtyp === 'app') return true;
  if (typeof sub !== 'string' || sub === '') return false;
  const clients = [client_id, cid, azp].filter((client) => client !== undefined);
  // A person can choose a name such as `ada@clients`, so all client claims of the token must match the name.
  return clients.includes(sub) || (AUTH0_CLIENT.test(sub) && clients.every((client) => sub === `${client}@clients`));
}
