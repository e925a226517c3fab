import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { type Consumer, followStream } from '../../../infra/local/change-stream.ts';
import { consume } from '../../../lib/change-log/consume.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { type Cost, costOf } from '../measure.ts';

const COMES_WITHIN_MS = 10_000;

export type Changes = Awaited<ReturnType<typeof followChanges>>;

/** The table's stream as `on-change` gets it, held back until it is asked for. */
export async function followChanges() {
  const waiting: DynamoDBRecord[] = [];
  const hold: Consumer = async ({ Records }) => {
    waiting.push(...Records.filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S?.startsWith('USER#')));
    return { batchItemFailures: [] };
  };
  const { stop } = await followStream(TableName, hold, { pollIntervalMs: 5 });
  return {
    stop,
    /** Consumes the next changes, this many, and those that they make in turn; tells what each took. */
    async consume(count: number): Promise<Cost[]> {
      const costs: Cost[] = [];
      const late = Date.now() + COMES_WITHIN_MS;
      while (costs.length < count) {
        const record = waiting.shift();
        if (!record && Date.now() > late) throw new Error(`${costs.length} changes came, not ${count}`);
        if (record) costs.push(await costOf(() => consume({ Records: [record] })));
        else await sleep(5);
      }
      return costs;
    },
  };
}
