import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { environment } from '../environment.ts';

/** Identifies who sends a request. Undefined for a token that names neither a subject nor a client. */
export type Caller = string | undefined;

/** Names who makes a write: a caller as `formatCaller` does, or SYSTEM. It is stored with the write, and holds no personal data. */
export type Actor = string;

/** The service itself, and scripts that work on its table. No caller has this name. */
export const SYSTEM: Actor = 'system';

type Claims = Record<string, unknown>;
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
  return PLAIN.test(caller) ? caller : `sha256:${createHash('sha256').update(caller).digest('hex').slice(0, 16)}`;
}

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
