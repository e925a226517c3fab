import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConsumedCapacity,
  DynamoDBServiceException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import { environment } from '../environment.ts';
import { type ServiceError, unavailable } from '../errors.ts';

// Separate from client.ts, because `publish-events` only uses EventBridge and must not open a connection to the table.

const deadline = new AsyncLocalStorage<{ endsAt: number; signal: AbortSignal }>();

/** Limits the time of all DynamoDB requests of `run`, including retries. Later requests throw SERVICE_UNAVAILABLE. */
export async function withDeadline<Result>(ms: number, run: () => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await deadline.run({ endsAt: environment.elapsed() + ms, signal: controller.signal }, run);
  } finally {
    clearTimeout(timer);
  }
}

type Options = Parameters<NodeHttpHandler['handle']>[1];

/** Ends each attempt after its time limit, and all requests at the deadline. */
export class DeadlineHttpHandler extends NodeHttpHandler {
  constructor(options: NodeHttpHandlerOptions = {}) {
    const { attemptTimeLimitMs } = environment;
    super({
      connectionTimeout: attemptTimeLimitMs,
      requestTimeout: attemptTimeLimitMs,
      throwOnRequestTimeout: true,
      ...options,
    });
  }

  override async handle(request: Parameters<NodeHttpHandler['handle']>[0], options: Options = {}) {
    const { signal, endsAt = 0 } = deadline.getStore() ?? {};
    if (!signal) return super.handle(request, options);
    // In a process that was suspended, the SDK's timer for a retry fires before the timer of the deadline.
    if (environment.elapsed() >= endsAt) throw unavailable();
    const callerSignal = options.abortSignal as AbortSignal | undefined; // The SDK declares its own type for AbortSignal.
    try {
      return await super.handle(request, {
        ...options,
        abortSignal: callerSignal ? AbortSignal.any([callerSignal, signal]) : signal,
      });
    } catch (error) {
      throw signal.aborted ? unavailable() : error;
    }
  }
}

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/** Grows the pauses and adds jitter. `pause` throws at the deadline of the request. */
export class Backoff {
  readonly #end = deadline.getStore()?.endsAt ?? environment.elapsed() + environment.requestTimeLimitMs;
  #count = 0;

  async pause(onTimeout: () => ServiceError = unavailable): Promise<void> {
    const pause = environment.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#count++);
    if (environment.elapsed() + pause >= this.#end) throw onTimeout();
    await sleep(pause);
  }

  reset(): void {
    this.#count = 0;
  }
}

/**
 * Repeats `attempt` until it returns another value than 'retry' or 'throttled'. At the deadline of the request, throws
 * `onTimeout()`, or SERVICE_UNAVAILABLE if throttled.
 */
export async function retryOnConflict<Result>(
  attempt: () => Promise<Result | 'retry' | 'throttled'>,
  onTimeout: () => ServiceError = unavailable,
): Promise<Result> {
  const backoff = new Backoff();
  for (;;) {
    const result = await attempt();
    if (result !== 'retry' && result !== 'throttled') return result;
    await backoff.pause(result === 'throttled' ? unavailable : onTimeout);
  }
}

const afterLostAnswer = new WeakSet<object>();

export function markOutcomeUnknown(error: unknown): void {
  if (error instanceof Error) afterLostAnswer.add(error);
}

/** DynamoDB may have executed an attempt of the failed request, or may still do so. */
export const isOutcomeUnknown = (error: unknown): boolean => error instanceof Error && afterLostAnswer.has(error);

/** Marks errors after a lost answer. The SDK's attempt count is not enough, because it includes throttled attempts. */
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
    { step: 'finalizeRequest', priority: 'low', name: 'lostAnswer' },
  );
}

/** After a 4xx, DynamoDB wrote nothing, unless an earlier attempt is in progress. After a 5xx, it may have written. */
const isDefinite = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException &&
  !(error instanceof TransactionInProgressException) &&
  (error.$metadata.httpStatusCode ?? 500) < 500;

/** Lacks the units of failed requests, because DynamoDB does not return them. */
export type CapacityUsage = { requests: number; readUnits: number; writeUnits: number };

const usage = new AsyncLocalStorage<CapacityUsage>();

export async function withCapacityUsage<Result>(
  run: () => Promise<Result>,
): Promise<{ result: Result; used: CapacityUsage }> {
  const used = { requests: 0, readUnits: 0, writeUnits: 0 };
  return { result: await usage.run(used, run), used };
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html */
export function addCapacityMiddleware(client: DynamoDBDocumentClient): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const used = usage.getStore();
        if (!used) return next(args);
        used.requests += 1;
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const units = sumUnits(result.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] });
        used[/Write|Update|Put|Delete/.test(commandName) ? 'writeUnits' : 'readUnits'] += units;
        return result;
      },
    { step: 'initialize', name: 'capacityUsage' },
  );
}

const sumUnits = ({ ConsumedCapacity = [] }: { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] }): number =>
  [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
