import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from '../environment.ts';
import { forbidden } from '../errors.ts';

/** `sub:…`, `client:…`, an ARN or `anonymous`. Undefined for a token that names neither a subject nor a client. */
export type Caller = string | undefined;

/**
 * The writer of a version: the result of `formatCaller`, or SYSTEM. Stored with the version, so without personal data.
 */
export type Actor = string;

/** The service itself, and scripts that write to its table. No caller has this name. */
export const SYSTEM: Actor = 'system';

export type Claims = Record<string, unknown>;
/** `lambda` is the context that a Lambda authorizer of the deployment returns. */
type Authorizer = { jwt?: { claims?: Claims }; lambda?: Claims | null; iam?: { userArn?: string } };

const ANONYMOUS = 'anonymous';

/** Returns the caller that API Gateway or the Function URL has authenticated, or `anonymous`. */
export function readCaller(event: APIGatewayProxyEventV2): Caller {
  // APIGatewayProxyEventV2 does not declare authorizers.
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  if (authorizer?.jwt) return readTokenCaller(authorizer.jwt.claims ?? {});
  if (authorizer && 'lambda' in authorizer) return readTokenCaller(authorizer.lambda ?? {});
  return authorizer?.iam?.userArn ? removeSessionName(authorizer.iam.userArn) : ANONYMOUS;
}

/** Returns the subject, or the client if it acts on its own behalf (RFC 9068 section 2.2). */
export function readTokenCaller({ sub, client_id }: Claims): Caller {
  if (isName(sub)) return `sub:${sub}`;
  return isName(client_id) ? `client:${client_id}` : undefined;
}

const isName = (claim: unknown): claim is string => typeof claim === 'string' && claim !== '';

/** All sessions of a role are one caller, so that idempotency keys stay valid when credentials are refreshed. */
const removeSessionName = (arn: string) => arn.replace(/^(arn:[^:]+:sts::\d+:assumed-role\/.+)\/[^/]+$/, '$1');

/** Returns the key of the quota that a request uses: the caller or, for an anonymous caller, the network. */
export function toQuotaKey(event: APIGatewayProxyEventV2, caller: Caller): string {
  if (caller !== undefined && caller !== ANONYMOUS) return caller;
  return `network:${toNetwork(readClientAddress(event))}`;
}

/** Keeps an IPv4 address, but only the first half of an IPv6 address, because a subscriber has all its addresses (RFC 6177). */
function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/**
 * Callers without personal data: ARNs and generated ids. Excludes @ and other characters that may belong to an email
 * address.
 */
const PLAIN = /^[A-Za-z0-9:/|_.+=,-]{1,256}$/;

/**
 * Returns the name of the caller for logs and stored versions: a hash if it is long or may contain personal data. The runbook
 * has the command to compute the hash.
 */
export function formatCaller(caller: Caller): Actor {
  if (caller === undefined) return 'unknown';
  return PLAIN.test(caller) ? caller : hashCaller(caller);
}

const hashCaller = (caller: string): string =>
  `sha256:${createHash('sha256').update(caller).digest('hex').slice(0, 16)}`;

/** Returns the caller to log: a hash for people who may use their own record. */
export const toLogCaller = (caller: Caller, claims: Claims | undefined): Caller =>
  claims && caller !== undefined && readScopes(claims).has(environment.scopes.self) ? hashCaller(caller) : caller;

/** CloudFront sets these headers (infra/construct/site.ts). */
export const CLIENT_ADDRESS_HEADER = 'true-client-ip';
export const PROXY_KEY_HEADER = 'x-proxy-key';

/**
 * Returns the IP address of the client, also behind CloudFront. Anyone can send headers to the Function URL, so the address
 * header counts only with the key. X-Forwarded-For is useless: Function URLs keep its first address, which clients can forge.
 */
function readClientAddress({ headers, requestContext }: APIGatewayProxyEventV2): string {
  const { proxyKey } = environment;
  const isFromCloudFront = Boolean(proxyKey) && headers[PROXY_KEY_HEADER] === proxyKey;
  return (isFromCloudFront && headers[CLIENT_ADDRESS_HEADER]) || requestContext.http.sourceIp;
}

/**
 * Throws FORBIDDEN unless AWS has verified the request by the method that this code was deployed with. During a deploy,
 * canary or rollback, the gateway may still have another `auth` setting.
 */
export function requireAuthorizer({ requestContext }: APIGatewayProxyEventV2): void {
  const { requiredAuthorizer } = environment;
  if (!requiredAuthorizer) return;
  // APIGatewayProxyEventV2 does not declare authorizers. Only AWS writes this part of the event.
  const { authorizer } = requestContext as { authorizer?: Record<string, unknown> };
  if (authorizer?.[requiredAuthorizer]) return;
  throw forbidden(requiredAuthorizer === 'iam' ? 'The request must be signed' : 'The request must have a token');
}

/** Rejects repeated headers: they arrive joined by a comma, which no token contains. */
export const readBearerToken = (authorization = ''): string | undefined =>
  /^(?:Bearer +)?([^\s,]+)$/i.exec(authorization)?.[1];

/** `scope` is a string (RFC 8693 section 4.2). `scp` of Okta and Entra ID is a list or a string. */
export function readScopes({ scope, scp }: Claims): Set<string> {
  const names = [scope, scp].flat().filter((names) => typeof names === 'string');
  return new Set(names.flatMap((names) => names.split(' ')).filter(Boolean));
}

/** The claim is a list, or the name of one group. Names may contain spaces. */
export const readGroups = (claims: Claims, claim: string): unknown[] => [claims[claim] ?? []].flat();

/**
 * Decodes the claims of a token that the gateway has verified. The claims in the gateway's event are strings: a list of two
 * groups looks like one group with a space in its name.
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

/** `list` covers lists, searches and the changes of all users. `self` covers only the caller's own record. */
export type Right = keyof typeof environment.scopes;

export const ALL_RIGHTS = Object.keys(environment.scopes) as Right[];

export type Denial = { message: string; scope?: string };

const REQUIRED: Record<Right, readonly Right[]> = {
  read: ['read'],
  list: ['read', 'list'],
  history: ['read', 'history'],
  write: ['write'],
  erase: ['write', 'erase'],
  self: ['self'],
};

/**
 * Returns undefined if the token grants the right. Scopes limit the requests of a client. Groups limit the requests of
 * people, if the deployment requires a group: if people can register themselves, anyone can sign in with the client and
 * has its scopes.
 */
export function findDenial(claims: Claims, right: Right): Denial | undefined {
  const { sub } = claims;
  if (sub !== undefined && (typeof sub !== 'string' || sub.trim() === ''))
    return { message: 'The claim sub of the token must not be empty' };
  const scopes = readScopes(claims);
  const missing = REQUIRED[right].map((each) => environment.scopes[each]).find((scope) => !scopes.has(scope));
  if (missing !== undefined) return { message: `This requires the scope ${missing}`, scope: missing };
  // People need no group to use their own record.
  if (right === 'self') return undefined;
  const { claim, read, write } = environment.groups;
  const required = REQUIRED[right].includes('write') ? write : read;
  if (!required || isClient(claims)) return undefined;
  const groups = readGroups(claims, claim);
  // Members of the group for writing may also read.
  return [required, write].some((group) => group && groups.includes(group))
    ? undefined
    : { message: `This requires membership of the group ${required}` };
}

/** Subject of a client's own token at Auth0, where subjects of people contain `|`. */
const AUTH0_CLIENT = /^[^|@\s]+@clients$/;

/**
 * True if a client acts on its own behalf. The subject is then the client (RFC 9068 sections 2.2 and 5), at Auth0 with the
 * suffix `@clients`. Auth0 also sets `gty`, and Entra ID `idtyp`.
 */
export function isClient({ sub, client_id, cid, azp, gty, idtyp }: Claims): boolean {
  if (gty === 'client-credentials' || idtyp === 'app') return true;
  if (typeof sub !== 'string' || sub === '') return false;
  const clients = [client_id, cid, azp].filter((client) => client !== undefined);
  // People can choose a name such as `ada@clients`, but not the client that signs them in.
  return clients.includes(sub) || (AUTH0_CLIENT.test(sub) && clients.every((client) => sub === `${client}@clients`));
}
