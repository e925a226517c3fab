import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from '../environment.ts';
import { forbidden } from '../errors.ts';

/** Identifies who sends a request. Undefined for a token that names neither a subject nor a client. */
export type Caller = string | undefined;

/** Names who makes a write: a caller as `formatCaller` does, or SYSTEM. It is stored with the write, and holds no personal data. */
export type Actor = string;

/** The service itself, and scripts that work on its table. No caller has this name. */
export const SYSTEM: Actor = 'system';

/** The claims of a token. */
export type Claims = Record<string, unknown>;
/** `lambda` is what a Lambda authorizer of the deployment returns as context. */
type Authorizer = { jwt?: { claims?: Claims }; lambda?: Claims | null; iam?: { userArn?: string } };

const ANONYMOUS = 'anonymous';

/** Returns the caller that API Gateway or the Function URL has authenticated; `anonymous` without authentication. */
export function readCaller(event: APIGatewayProxyEventV2): Caller {
  // The event is typed for API Gateway without authorizers.
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  if (authorizer?.jwt) return readTokenCaller(authorizer.jwt.claims ?? {});
  if (authorizer && 'lambda' in authorizer) return readTokenCaller(authorizer.lambda ?? {});
  return authorizer?.iam?.userArn ? removeSessionName(authorizer.iam.userArn) : ANONYMOUS;
}

/** Returns the subject of a token, or its client if it acts on its own behalf (RFC 9068 section 2.2). */
export function readTokenCaller({ sub, client_id }: Claims): Caller {
  if (isName(sub)) return `sub:${sub}`;
  return isName(client_id) ? `client:${client_id}` : undefined;
}

const isName = (claim: unknown): claim is string => typeof claim === 'string' && claim !== '';

/** Sessions of a role are one caller, so that idempotency keys stay valid when credentials are refreshed. */
const removeSessionName = (arn: string) => arn.replace(/^(arn:[^:]+:sts::\d+:assumed-role\/.+)\/[^/]+$/, '$1');

/** Identifies whose share of a limit a request uses: the caller's or, if nothing names the caller, that of its network. */
export function toQuotaKey(event: APIGatewayProxyEventV2, caller: Caller): string {
  if (caller !== undefined && caller !== ANONYMOUS) return caller;
  return `network:${toNetwork(readClientAddress(event))}`;
}

/** An IPv4 address, or the first half of an IPv6 address, as a subscriber has all addresses with that half (RFC 6177). */
function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** The characters of ARNs and generated ids. Others, such as @, may be part of an email address. Every item holds one of these names. */
const PLAIN = /^[A-Za-z0-9:/|_.+=,-]{1,256}$/;

/**
 * Returns the caller as log lines and stored writes name it: its hash if it is long or may contain personal data. The
 * runbook has the command to compute the hash.
 */
export function formatCaller(caller: Caller): Actor {
  if (caller === undefined) return 'unknown';
  return PLAIN.test(caller) ? caller : hashCaller(caller);
}

const hashCaller = (caller: string): string =>
  `sha256:${createHash('sha256').update(caller).digest('hex').slice(0, 16)}`;

/** Log lines name people who may use their own record by a hash. */
export const toLogCaller = (caller: Caller, claims: Claims | undefined): Caller =>
  claims && caller !== undefined && readScopes(claims).has(environment.scopes.self) ? hashCaller(caller) : caller;

/** The headers that CloudFront sets on requests that it passes on (infra/construct/site.ts). */
export const CLIENT_ADDRESS_HEADER = 'true-client-ip';
export const PROXY_KEY_HEADER = 'x-proxy-key';

/**
 * Returns the IP address of the client, also of one that called CloudFront. Anyone can send any header to the Function
 * URL, so the address in a header counts only beside the key. X-Forwarded-For is of no use: of several addresses, a
 * Function URL keeps the first one, which the client may have sent.
 */
function readClientAddress({ headers, requestContext }: APIGatewayProxyEventV2): string {
  const { proxyKey } = environment;
  const isFromCloudFront = Boolean(proxyKey) && headers[PROXY_KEY_HEADER] === proxyKey;
  return (isFromCloudFront && headers[CLIENT_ADDRESS_HEADER]) || requestContext.http.sourceIp;
}

/**
 * Throws FORBIDDEN for a request that was not verified in the way this code was deployed for. A deploy changes code and
 * gateway one after the other, and a canary or a rollback runs code of one setting where the gateway has the other.
 */
export function requireAuthorizer({ requestContext }: APIGatewayProxyEventV2): void {
  const { requiredAuthorizer } = environment;
  if (!requiredAuthorizer) return;
  // The event is typed for API Gateway without authorizers. Only AWS writes this part of it.
  const { authorizer } = requestContext as { authorizer?: Record<string, unknown> };
  if (authorizer?.[requiredAuthorizer]) return;
  throw forbidden(requiredAuthorizer === 'iam' ? 'The request must be signed' : 'The request must have a token');
}

/** Returns the token of an Authorization header. Repeated headers arrive in one, joined by commas, which no token contains. */
export const readBearerToken = (authorization = ''): string | undefined =>
  /^(?:Bearer +)?([^\s,]+)$/i.exec(authorization)?.[1];

/** `scope` is a string (RFC 8693 section 4.2); `scp` of Okta and Entra is a list or a string. */
export function readScopes({ scope, scp }: Claims): Set<string> {
  const names = [scope, scp].flat().filter((names) => typeof names === 'string');
  return new Set(names.flatMap((names) => names.split(' ')).filter(Boolean));
}

/** A list, or the name of one group, which may contain spaces. */
export const readGroups = (claims: Claims, claim: string): unknown[] => [claims[claim] ?? []].flat();

/**
 * Reads the claims of a token that the gateway has verified. Those in its event are texts, in which a list of two groups looks
 * like one group with a space in its name.
 */
export function decodeVerifiedClaims(authorization: string | undefined): Claims {
  const payload = readBearerToken(authorization)?.split('.')[1] ?? '';
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    // The gateway accepts this form of the header, and this code does not.
    throw forbidden('The request must have one bearer token');
  }
}

/**
 * `list` is to read users whom the caller does not name: lists, searches, and the changes of all users. `self` is to use the
 * caller's own record, and gives no other right.
 */
export type Right = keyof typeof environment.scopes;

/** The scopes are named by rights. */
export const ALL_RIGHTS = Object.keys(environment.scopes) as Right[];

/** `scope` is what the token lacks, if that is what it lacks. */
export type Denial = { message: string; scope?: string };

/** The scopes that each right requires. */
const REQUIRED: Record<Right, readonly Right[]> = {
  read: ['read'],
  list: ['read', 'list'],
  history: ['read', 'history'],
  write: ['write'],
  erase: ['write', 'erase'],
  self: ['self'],
};

/**
 * Says why a token does not give a right. A scope is what its client may do. What a person may do is a group, if the
 * deployment names one, since everyone who can register there may sign in with the client.
 */
export function findDenial(claims: Claims, right: Right): Denial | undefined {
  const { sub } = claims;
  if (sub !== undefined && (typeof sub !== 'string' || sub.trim() === ''))
    return { message: 'The token must have a subject that is not empty, or none' };
  const scopes = readScopes(claims);
  const missing = REQUIRED[right].map((each) => environment.scopes[each]).find((scope) => !scopes.has(scope));
  if (missing !== undefined) return { message: `This requires the scope ${missing}`, scope: missing };
  // The record names one person, whatever groups they are in.
  if (right === 'self') return undefined;
  const { claim, read, write } = environment.groups;
  const required = REQUIRED[right].includes('write') ? write : read;
  if (!required || isClient(claims)) return undefined;
  const groups = readGroups(claims, claim);
  // Who may change users may read them.
  return [required, write].some((group) => group && groups.includes(group))
    ? undefined
    : { message: `This requires membership of the group ${required}` };
}

/** The subject of a client's own token at Auth0. Subjects of people contain `|` there. */
const AUTH0_CLIENT = /^[^|@\s]+@clients$/;

/**
 * Returns whether a client acts on its own behalf. The client is its own subject (RFC 9068 sections 2.2 and 5), at Auth0 with
 * the suffix `@clients`. Auth0 also sets `gty`, and Entra ID `idtyp`.
 */
export function isClient({ sub, client_id, cid, azp, gty, idtyp }: Claims): boolean {
  if (gty === 'client-credentials' || idtyp === 'app') return true;
  if (typeof sub !== 'string' || sub === '') return false;
  const clients = [client_id, cid, azp].filter((client) => client !== undefined);
  // A person may have chosen the name `ada@clients`, but not the client that signs the person in.
  return clients.includes(sub) || (AUTH0_CLIENT.test(sub) && clients.every((client) => sub === `${client}@clients`));
}
