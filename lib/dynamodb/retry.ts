import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBServiceException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';
import { remainingMs } from './deadline.ts';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/** An attempt returns it when it lost a race or has more to do: it is made again. */
export const AGAIN = Symbol('again');
export type Again = typeof AGAIN;

/** Pauses between attempts, each one longer on average, until the deadline of the request. */
export class Backoff {
  readonly #end = environment.elapsed() + remainingMs();
  #count = 0;

  /** Waits for a random time. Throws `onTimeout()` instead if that would exceed the deadline. */
  async pause(onTimeout: () => ServiceError = unavailable): Promise<void> {
    const pause = environment.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#count++);
    if (environment.elapsed() + pause >= this.#end) throw onTimeout();
    await sleep(pause);
  }

  /** Starts with short pauses again. The deadline stays. */
  reset(): void {
    this.#count = 0;
  }
}

/** Repeats an attempt that returns AGAIN until the deadline of the request, then throws `onTimeout()`. */
export async function retryOnConflict<Result>(
  attempt: () => Promise<Result | Again>,
  onTimeout: () => ServiceError = unavailable,
): Promise<Result> {
  const backoff = new Backoff();
  for (;;) {
    const result = await attempt();
    if (result !== AGAIN) return result;
    await backoff.pause(onTimeout);
  }
}

const afterLostAnswer = new WeakSet<object>();

/** Marks the error of a request: DynamoDB may have executed an attempt. */
export function markOutcomeUnknown(error: unknown): void {
  if (error instanceof Error) afterLostAnswer.add(error);
}

/** Returns whether DynamoDB may have executed an attempt of the failed request, or may still do so. */
export const isOutcomeUnknown = (error: unknown): boolean => error instanceof Error && afterLostAnswer.has(error);

/** Remembers attempts of the SDK without a definite answer. The SDK itself only counts attempts, and throttled ones wrote nothing. */
export function addLostAnswerMiddleware({ middlewareStack }: DynamoDBDocumentClient): void {
  middlewareStack.add(
    (next) => {
      let isUnknown = false;
      return async (args) => {
        try {
          return await next(args);
        } catch (error) {
          isUnknown ||= !isDefinite(error);
          if (isUnknown) markOutcomeUnknown(error);
          throw error;
        }
      };
    },
    // Within the SDK's retries, which have a high priority.
    { step: 'finalizeRequest', priority: 'low', name: 'lostAnswer' },
  );
}

/** DynamoDB wrote nothing when it answers with a status of 4xx, unless an earlier attempt is still in progress. A write that fails with 5xx may have succeeded. */
const isDefinite = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException &&
  !(error instanceof TransactionInProgressException) &&
  (error.$metadata.httpStatusCode ?? 500) < 500;
