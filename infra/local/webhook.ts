import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRetryAfter } from '../../lib/client/errors.ts';
import { unavailable } from '../../lib/errors.ts';
import type { CloudEvent } from '../../lib/features/events/cloud-event.ts';
import type { Send } from '../../lib/features/events/publish.ts';
import { mapParallel } from '../../lib/parallel.ts';

/*
 * Events are POSTed as Standard Webhooks 1.0.0 says, which has the scheme of signatures, the form of secrets and what counts as a success:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */

const REQUEST_TIME_LIMIT_MS = 15_000;
const MAX_PARALLEL_REQUESTS = 10;
/** A receiver on this machine is usually back within seconds. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [500, 30_000];
const MAX_RETRY_AFTER_MS = 3_600_000;

type Retry = { failures: number; at: number };

/** Returns what sends events to the URL. An event that fails is sent again after a pause, which doubles with each failure. */
export function createWebhook(url: string, secret: string, stopped: AbortSignal): Send {
  const receiver = readReceiver(url);
  const retries = new Map<string, Retry>();
  const post = async (event: CloudEvent) => {
    const retry = retries.get(event.id);
    if (stopped.aborted || (retry && performance.now() < retry.at)) return unavailable();
    const failure = await request(receiver, secret, event, stopped);
    if (!failure) {
      retries.delete(event.id);
      return undefined;
    }
    if (stopped.aborted) return unavailable();
    const failures = (retry?.failures ?? 0) + 1;
    // Retry-After may be 0 or a date in the past, which must not become a loop without a pause.
    const pause = Math.max(choosePause(failures), Math.min(failure.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
    retries.set(event.id, { failures, at: performance.now() + pause });
    console.warn({ event: 'webhook-failed', type: event.type, reason: failure.reason, failures, retryInMs: pause });
    return unavailable();
  };
  return (events) => mapParallel(events, post, MAX_PARALLEL_REQUESTS);
}

/** With jitter, as receivers may fail because of the load. */
const choosePause = (failures: number): number =>
  Math.round(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2));

/** `authorization` is that of the user and password in the URL, with which no request can be made. */
type Receiver = { url: string; authorization?: string };

/** RFC 7617. Throws a URIError if the user or the password is not encoded. */
export function readReceiver(text: string): Receiver {
  const url = new URL(text);
  const { username, password } = url;
  Object.assign(url, { username: '', password: '' });
  if (!username && !password) return { url: url.href };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A URL without what may be secret in it. */
export function describeUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search ? '?…' : ''}`;
}

type Failure = { reason: string; retryAfterMs?: number | undefined };

/** Returns undefined if the receiver has accepted the event. */
async function request(
  { url, authorization }: Receiver,
  secret: string,
  event: CloudEvent,
  stopped: AbortSignal,
): Promise<Failure | undefined> {
  const body = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization ? { authorization } : {}),
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': sign(secret, event.id, timestamp, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([stopped, AbortSignal.timeout(REQUEST_TIME_LIMIT_MS)]),
    });
    await response.body?.cancel();
    const { ok, status, headers } = response;
    return ok ? undefined : { reason: `status ${status}`, retryAfterMs: parseRetryAfter(headers) };
  } catch (error) {
    // The message of the error itself may repeat the URL.
    const { cause, name } = error as Error & { cause?: { code?: string; message?: string } };
    return { reason: cause?.code ?? cause?.message ?? name };
  }
}

const PREFIX = 'whsec_';
const decodeSecret = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64');

export const sign = (secret: string, id: string, timestamp: number, body: string): string =>
  `v1,${createHmac('sha256', decodeSecret(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

export function isSecret(text: string): boolean {
  const { length } = decodeSecret(text);
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64;
}

/**
 * Reads the secret that was made for the folder of the data, or makes one; `isNew` tells that nobody knows it yet. Throws an error of
 * one sentence for a file that holds none: what is signed with an empty key verifies nothing.
 */
export function provideSecret(folder: string | undefined): { secret: string; isNew: boolean } {
  const file = folder && join(folder, 'webhook-secret');
  const known = file && readSecret(file);
  if (known) return { secret: known, isNew: false };
  const secret = `${PREFIX}${randomBytes(32).toString('base64')}`;
  if (file) {
    // The file is written, then renamed: a crash leaves a whole secret, or none.
    writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return { secret, isNew: true };
}

/** Returns undefined if there is no file. */
function readSecret(file: string): string | undefined {
  const text = readText(file)?.trim();
  if (text === undefined || isSecret(text)) return text;
  throw new Error(`${file} holds no secret of the webhook. Restore it, or delete it to have another made`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
