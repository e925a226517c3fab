import { AsyncLocalStorage } from 'node:async_hooks';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { environment } from '../environment.ts';
import { unavailable } from '../errors.ts';

const deadline = new AsyncLocalStorage<{ endsAt: number; signal: AbortSignal }>();

/** Runs with at most `ms` for all its DynamoDB requests together, retries included; later ones throw SERVICE_UNAVAILABLE. */
export async function withDeadline<Result>(ms: number, run: () => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await deadline.run({ endsAt: environment.elapsed() + ms, signal: controller.signal }, run);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the milliseconds until the deadline, or the time limit of a request if there is none. */
export function remainingMs(): number {
  const { endsAt } = deadline.getStore() ?? {};
  return endsAt === undefined ? environment.requestTimeLimitMs : Math.max(0, endsAt - environment.elapsed());
}

type Options = Parameters<NodeHttpHandler['handle']>[1];

/** Ends each attempt of the SDK at the deadline of the request that it belongs to. */
export class DeadlineHttpHandler extends NodeHttpHandler {
  override async handle(request: Parameters<NodeHttpHandler['handle']>[0], options: Options = {}) {
    const { signal } = deadline.getStore() ?? {};
    if (!signal) return super.handle(request, options);
    const given = options.abortSignal as AbortSignal | undefined; // The SDK's own, older type of the same object.
    try {
      return await super.handle(request, {
        ...options,
        abortSignal: given ? AbortSignal.any([given, signal]) : signal,
      });
    } catch (error) {
      throw signal.aborted ? unavailable() : error;
    }
  }
}
