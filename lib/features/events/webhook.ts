import { createHmac } from 'node:crypto';
import packageJson from '../../../package.json' with { type: 'json' };
import { parseRetryAfter } from '../../client/errors.ts';
import { environment } from '../../environment.ts';

/**
 * Standard Webhooks 1.0.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

const REQUEST_TIME_LIMIT_MS = 15_000;
const USER_AGENT = `${packageJson.name}/${packageJson.version}`;
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** `fetch` rejects URLs with credentials, so `authorization` carries them. */
export type Receiver = { url: string; authorization?: string };

/** Moves credentials from the URL to a header (RFC 7617). Throws a URIError if they are not URL-encoded. */
export function parseReceiver(text: string): Receiver {
  const url = new URL(text);
  const { username, password } = url;
  Object.assign(url, { username: '', password: '' });
  if (!username && !password) return { url: url.href };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

export type Failure = { reason: string; retryAfterMs?: number | undefined };

/** Returns undefined if the receiver accepted the event. `stopped` aborts the request. */
export async function postEvent(
  { url, authorization }: Receiver,
  secrets: readonly string[],
  { id, body }: { id: string; body: string },
  stopped?: AbortSignal,
): Promise<Failure | undefined> {
  const timestamp = Math.floor(environment.now() / 1000);
  const timeout = environment.timeout(REQUEST_TIME_LIMIT_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        ...(authorization ? { authorization } : {}),
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': secrets.map((secret) => sign(secret, id, timestamp, body)).join(' '),
      },
      body,
      redirect: 'manual',
      signal: stopped ? AbortSignal.any([stopped, timeout]) : timeout,
    });
    await response.body?.cancel();
    const { ok, status, headers } = response;
    return ok ? undefined : { reason: `status ${status}`, retryAfterMs: parseRetryAfter(headers) };
  } catch (error) {
    // Use only name and cause, because the error's own message may contain the URL.
    const { cause, name } = error as Error & { cause?: { code?: string; message?: string } };
    return { reason: cause?.code ?? cause?.message ?? name };
  }
}

export const SECRET_PREFIX = 'whsec_';
const decodeSecret = (secret: string) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');

export const sign = (secret: string, id: string, timestamp: number, body: string): string =>
  `v1,${createHmac('sha256', decodeSecret(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

export function isSecret(text: string): boolean {
  const { length } = decodeSecret(text);
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64;
}
