import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '../../lib/errors.ts';
import type { CloudEvent } from '../../lib/features/events/cloud-event.ts';
import type { Send } from '../../lib/features/events/publish.ts';
import {
  isSecret,
  MAX_RETRY_AFTER_MS,
  parseReceiver,
  postEvent,
  SECRET_PREFIX,
} from '../../lib/features/events/webhook.ts';
import { mapParallel } from '../../lib/parallel.ts';

const MAX_PARALLEL_REQUESTS = 10;
/** Short, because a local receiver usually restarts within seconds. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [500, 30_000];

type Retry = { failures: number; at: number };

/** A failed event counts as unavailable until a pause is over, which doubles with each failure. */
export function createWebhook(url: string, secret: string, stopped: AbortSignal): Send {
  const receiver = parseReceiver(url);
  const retries = new Map<string, Retry>();
  const post = async (event: CloudEvent) => {
    const retry = retries.get(event.id);
    if (stopped.aborted || (retry && performance.now() < retry.at)) return unavailable();
    const failure = await postEvent(receiver, [secret], { id: event.id, body: JSON.stringify(event) }, stopped);
    if (!failure) {
      retries.delete(event.id);
      return undefined;
    }
    if (stopped.aborted) return unavailable();
    const failures = (retry?.failures ?? 0) + 1;
    // Retry-After may be 0 or in the past. The minimum prevents a busy loop.
    const pause = Math.max(choosePause(failures), Math.min(failure.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
    retries.set(event.id, { failures, at: performance.now() + pause });
    console.warn({ event: 'webhook-failed', type: event.type, reason: failure.reason, failures, retryInMs: pause });
    return unavailable();
  };
  return (events) => mapParallel(events, post, MAX_PARALLEL_REQUESTS);
}

/** Random, so failed events are not all repeated at once. */
const choosePause = (failures: number): number =>
  Math.round(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2));

/** Removes credentials and query values, which may be secret. */
export function describeUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search ? '?…' : ''}`;
}

/**
 * Reads the folder's secret or creates one (`isNew`: show it to the operator). Throws a one-sentence error for an
 * invalid file.
 */
export function provideSecret(folder: string | undefined): { secret: string; isNew: boolean } {
  const file = folder && join(folder, 'webhook-secret');
  const known = file && readSecret(file);
  if (known) return { secret: known, isNew: false };
  const secret = `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
  if (file) {
    // Writes and renames a complete file, so a crash leaves no partial secret.
    writeFileSync(`${file}.new`, `${secret}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return { secret, isNew: true };
}

function readSecret(file: string): string | undefined {
  const text = readText(file)?.trim();
  if (text === undefined || isSecret(text)) return text;
  throw new Error(`${file} contains no valid webhook secret. Restore it, or delete it: the next start creates another`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
