import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { type ServiceError, unavailable } from '../errors.ts';
import { remainingMs } from './deadline.ts';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/**
 * Repeats an attempt that lost a race (it returns undefined), after a random pause, until the request's deadline; then
 * throws `giveUp()`. DynamoDB cancels writes that meet, it does not queue them.
 */
export async function retryOnConflict<Result>(
  attempt: () => Promise<Result | undefined>,
  giveUp: () => ServiceError = unavailable,
): Promise<Result> {
  const end = Date.now() + remainingMs();
  for (let count = 0; ; count++) {
    const result = await attempt();
    if (result !== undefined) return result;
    const pause = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** count);
    if (Date.now() + pause >= end) throw giveUp();
    await sleep(pause);
  }
}

/** Whether the SDK sent the request more than once, because it had no answer. */
export const wasRepeated = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && (error.$metadata.attempts ?? 1) > 1;
