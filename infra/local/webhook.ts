import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '../../lib/errors.ts';
import type { CloudEvent } from '../../lib/features/events/cloud-event.ts';
import type { Send } from '../../lib/features/events/publish.ts';
import {
  isSecret,
  MAX_RETRY_AFTER_MS,
  postEvent,
  readReceiver,
  SECRET_PREFIX,
} from '../../lib/features/events/webhook.ts';
import { mapParallel } from '../../lib/parallel.ts';

const MAX_PARALLEL_REQUESTS = 10;
/** A receiver on this machine is usually back within seconds. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [500, 30_000];

type Retry = { failures: number; at: number };

/** Returns what sends events to the URL. An event that fails is sent again after a pause, which doubles with each failure. */
export function createWebhook(url: string, secret: string, stopped: AbortSignal): Send {
  const receiver = readReceiver(url);
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

/** A URL without what may be secret in it. */
export function describeUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search ? '?…' : ''}`;
}

/**
 * Reads the secret that was made for the folder of the data, or makes one; `isNew` tells that nobody knows it yet. Throws an error of
 * one sentence for a file that holds none: what is signed with an empty key verifies nothing.
 */
export function provideSecret(folder: string | undefined): { secret: string; isNew: boolean } {
  const file = folder && join(folder, 'webhook-secret');
  const known = file && readSecret(file);
  if (known) return { secret: known, isNew: false };
  const secret = `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
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
