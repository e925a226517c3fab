import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** What one invocation asked of the table. `units` are DynamoDB's capacity units, reads and writes together. */
export type Usage = { requests: number; units: number };

const usage = new AsyncLocalStorage<Usage>();

/** Runs with a meter of its own. */
export async function withCapacityUsage<Result>(run: () => Promise<Result>): Promise<{ result: Result; used: Usage }> {
  const used = { requests: 0, units: 0 };
  return { result: await usage.run(used, run), used };
}

/**
 * Has DynamoDB tell with each answer what it cost, and counts it for whoever is metered.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html
 */
export function addCapacityMiddleware(client: DynamoDBDocumentClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const used = usage.getStore();
      if (!used) return next(args);
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      used.requests += 1;
      used.units += unitsOf(answer.output as { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] });
      return answer;
    },
    { step: 'initialize', name: 'meter' },
  );
}

const unitsOf = ({ ConsumedCapacity = [] }: { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] }): number =>
  [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
