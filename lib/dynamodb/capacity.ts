import { AsyncLocalStorage } from 'node:async_hooks';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Counts the requests of one invocation, and their capacity units of reads and of writes. Failed requests are counted without
 * units, since DynamoDB does not return what they consumed.
 */
export type CapacityUsage = { requests: number; readUnits: number; writeUnits: number };

const usage = new AsyncLocalStorage<CapacityUsage>();

/** Runs, and adds up what its requests consume. */
export async function withCapacityUsage<Result>(
  run: () => Promise<Result>,
): Promise<{ result: Result; used: CapacityUsage }> {
  const used = { requests: 0, readUnits: 0, writeUnits: 0 };
  return { result: await usage.run(used, run), used };
}

/**
 * Requests `ReturnConsumedCapacity` and adds it to the running usage.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConsumedCapacity.html
 */
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
