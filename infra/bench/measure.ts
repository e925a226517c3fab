import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { table } from '../../lib/dynamodb/client.ts';

/**
 * `reads`, `writes` and `indexWrites` (to the GSI) are capacity units. `rounds`: longest chain of sequential requests.
 * `bytes`: of the responses.
 */
export type Cost = {
  reads: number;
  writes: number;
  indexWrites: number;
  requests: number;
  rounds: number;
  bytes: number;
};

type Capacity = { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] };

export async function measureCost(run: () => Promise<unknown>): Promise<Cost> {
  const cost: Cost = { reads: 0, writes: 0, indexWrites: 0, requests: 0, rounds: 0, bytes: 0 };
  const together = inRounds(() => cost.rounds++);
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        cost.requests++;
        const input = { ...args.input, ReturnConsumedCapacity: 'INDEXES' };
        const result = await together(() => next({ ...args, input }));
        addCapacity(cost, result.output as Capacity, /Write|Update|Put|Delete/.test(commandName));
        return result;
      },
    { step: 'initialize', name: 'cost' },
  );
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      // Cast: a response of DynamoDB is an HTTP response.
      const { headers } = result.response as { headers: Record<string, string> };
      cost.bytes += Number(headers['content-length'] ?? 0);
      return result;
    },
    { step: 'deserialize', name: 'bytes', priority: 'low' },
  );
  try {
    await run();
    return cost;
  } finally {
    table.middlewareStack.remove('cost');
    table.middlewareStack.remove('bytes');
  }
}

function addCapacity(cost: Cost, { ConsumedCapacity = [] }: Capacity, isWrite: boolean): void {
  for (const { CapacityUnits = 0, GlobalSecondaryIndexes = {} } of [ConsumedCapacity].flat()) {
    const index = Object.values(GlobalSecondaryIndexes).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    if (!isWrite) cost.reads += CapacityUnits;
    else {
      cost.writes += CapacityUnits - index;
      cost.indexWrites += index;
    }
  }
}

/**
 * Responses are released together once all requests of a round are answered, so the number of rounds does not depend on
 * response times.
 */
function inRounds(count: () => void) {
  let round: { sent: Promise<void>; pending: number; answered: PromiseWithResolvers<void> } | undefined;
  const start = () => {
    count();
    // In 2 ms, the code under test makes all requests that do not depend on a response.
    return { sent: sleep(2), pending: 0, answered: Promise.withResolvers<void>() };
  };
  return async <Result>(send: () => Promise<Result>): Promise<Result> => {
    round ??= start();
    const mine = round;
    mine.pending++;
    await mine.sent;
    round = undefined;
    try {
      return await send();
    } finally {
      if (--mine.pending === 0) mine.answered.resolve();
      await mine.answered.promise;
    }
  };
}

/** Returns milliseconds. */
export async function medianTime(run: () => Promise<unknown>, times: number): Promise<number> {
  const taken: number[] = [];
  for (let at = 0; at < times; at++) {
    const start = performance.now();
    await run();
    taken.push(performance.now() - start);
  }
  return taken.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}

export function addCosts(costs: Cost[], factor = 1): Cost {
  const sum = (name: keyof Cost) => factor * costs.reduce((total, cost) => total + cost[name], 0);
  return {
    reads: sum('reads'),
    writes: sum('writes'),
    indexWrites: sum('indexWrites'),
    requests: sum('requests'),
    rounds: sum('rounds'),
    bytes: sum('bytes'),
  };
}
