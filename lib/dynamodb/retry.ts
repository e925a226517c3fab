import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';
import { remainingMs } from './deadline.ts';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/** An attempt returns it when it lost a race or has more to do: it is made again. */
export const AGAIN = Symbol('again');
export type Again = typeof AGAIN;

/**
 * Repeats an attempt that returns AGAIN, after a random pause, until the request's deadline; then throws `onTimeout()`.
 * DynamoDB cancels writes that meet, it does not queue them.
 */
export async function retryOnConflict<Result>(
  attempt: () => Promise<Result | Again>,
  onTimeout: () => ServiceError = unavailable,
): Promise<Result> {
  const end = environment.now() + remainingMs();
  for (let count = 0; ; count++) {
    const result = await attempt();
    if (result !== AGAIN) return result;
    const pause = environment.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count);
    if (environment.now() + pause >= end) throw onTimeout();
    await sleep(pause);
  }
}

/** Tells whether the SDK sent the request more than once, because it had no answer. */
export const wasRepeated = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && (error.$metadata.attempts ?? 1) > 1;
