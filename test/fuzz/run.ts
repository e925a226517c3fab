import fc from 'fast-check';
import { checkLog } from './check-log.ts';
import { checkResponse, readUnits } from './check-response.ts';
import { createMemoryCheck } from './memory.ts';
import type { Options } from './options.ts';
import { createPool } from './pool.ts';
import { type FuzzRequest, toCurl } from './request.ts';
import { graphqlRequest } from './requests/graphql.ts';
import { restRequest } from './requests/rest.ts';
import { findBlocking, MAX_WAIT_MS, measureWait } from './responsiveness.ts';
import { send } from './send.ts';
import { startFuzzedService } from './service/service.ts';

/** Requests per batch. The requests of a batch are concurrent, so they can conflict. */
const BATCH = 8;
const MEAN_BATCH = 4;
const MAX_SHRINKS = 300;
const MAX_SHRINK_MS = 60_000;
const REFILL_INTERVAL = 50;

export type Outcome = {
  sent: number;
  statuses: Record<number, number>;
  /** Maximums of all requests. `wait`: maximum of all light requests, in ms. */
  worst: { bytes: number; units: number; wait: number };
  memory: string;
  failure: string | undefined;
};

const batch = fc.array(fc.oneof(restRequest, graphqlRequest), { minLength: 1, maxLength: BATCH });

/** Stops at the first broken bound and shrinks its batch. `signal` ends the run early. */
export async function run(
  { seed, requests, path }: Options,
  progress: (sent: number) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  let service = await startFuzzedService();
  let pool = await createPool(service.url);
  const worst = { bytes: 0, units: 0, wait: 0 };
  const outcome: Outcome = { sent: 0, statuses: {}, worst, memory: '', failure: undefined };
  const memory = createMemoryCheck(
    {
      readUsage: () => service.readUsage(),
      readUsageWithoutGarbage: () => service.readUsageWithoutGarbage(),
    },
    requests,
  );
  try {
    await service.takeLog();
    let batches = 0;
    let shrinks: number | undefined;
    let shrinkEnd = Number.POSITIVE_INFINITY;
    let last: FuzzRequest[] = [];

    const property = fc.asyncProperty(batch, async (generated) => {
      if ((outcome.sent >= requests || signal.aborted) && shrinks === undefined) return;
      // Let every further batch pass, so that fast-check keeps the smallest failing one.
      if (shrinks !== undefined && (shrinks++ > MAX_SHRINKS || performance.now() > shrinkEnd)) return;
      if (shrinks !== undefined || ++batches % REFILL_INTERVAL === 0) await pool.refill();
      const resolved = generated.map(pool.resolve);
      const problems = await sendBatch(resolved).catch(restart);
      if (shrinks === undefined && problems.length === 0) {
        progress(Math.min(requests, outcome.sent));
        problems.push(...(await memory.check(outcome.sent)));
      }
      if (problems.length === 0) return;
      if (shrinks === undefined) shrinkEnd = performance.now() + MAX_SHRINK_MS;
      shrinks ??= 0;
      last = resolved;
      throw new Error(problems.join('\n'));
    });

    const details = await fc.check(property, {
      seed,
      numRuns: Math.ceil(requests / MEAN_BATCH),
      endOnFailure: false,
      ...(path ? { path } : {}),
    });
    progress(requests);
    if (details.failed) outcome.failure = describe(details, last);
    else outcome.memory = await memory.report();
    return outcome;

    async function sendBatch(resolved: FuzzRequest[]): Promise<string[]> {
      let found: string[][] = [];
      const wait = await measureWait(service, async () => {
        found = await Promise.all(resolved.map(sendOne));
      });
      outcome.worst.wait = Math.max(outcome.worst.wait, Math.round(wait));
      const lines = await service.takeLog();
      const problems = [...found.flat(), ...lines.flatMap(checkLog)];
      if (wait <= MAX_WAIT_MS) return problems;
      return [...problems, ...(await findBlocking(resolved, (one) => measureWait(service, () => sendOne(one))))];
    }

    async function restart({ message }: Error): Promise<string[]> {
      await service.stop();
      service = await startFuzzedService();
      pool = await createPool(service.url);
      return [`the service has ended: ${message}`];
    }
  } finally {
    await service.stop();
  }

  async function sendOne(request: FuzzRequest): Promise<string[]> {
    outcome.sent++;
    try {
      const response = await send(service.url, request);
      outcome.statuses[response.status] = (outcome.statuses[response.status] ?? 0) + 1;
      outcome.worst.bytes = Math.max(outcome.worst.bytes, response.bytes);
      outcome.worst.units = Math.max(outcome.worst.units, readUnits(response));
      return checkResponse(request, response);
    } catch (error) {
      return [`${request.method} ${request.path.slice(0, 100)}: ${(error as Error).message}`];
    }
  }

  function describe(
    { counterexamplePath, errorInstance }: fc.RunDetails<[FuzzRequest[]]>,
    last: FuzzRequest[],
  ): string {
    return [
      errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
      'The batch that broke a bound, in which all requests are sent at the same time:',
      ...last.map((request) => `  ${toCurl(service.url, request)}`),
      `Replay: npm run fuzz -- --seed ${seed} --requests ${requests} --path ${counterexamplePath}`,
    ].join('\n');
  }
}
