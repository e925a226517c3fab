import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { handler } from '../../../functions/on-change.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { type Consumer, followStream } from '../../local/change-stream.ts';
import { enableStream } from '../../local/table.ts';
import { type Cost, measureCost } from '../measure.ts';

const MAX_WAIT_MS = 60_000;

/** The same condition as in FILTERS of infra/construct/stream-consumer.ts. */
const isConsumed = ({ dynamodb }: DynamoDBRecord) =>
  dynamodb?.Keys?.pk?.S?.startsWith('USER#') && /^(USER$|PURGE$|RETURN$|POST#)/.test(dynamodb.Keys.sk?.S ?? '');

export type Changes = Omit<Awaited<ReturnType<typeof followChanges>>, 'stop'>;

/** Call this once per table: a second call would read the stream from its start again. */
export async function withChanges<Result>(run: (changes: Changes) => Promise<Result>): Promise<Result> {
  const { stop, ...changes } = await followChanges();
  try {
    return await run(changes);
  } finally {
    await stop();
  }
}

async function followChanges() {
  const waiting: DynamoDBRecord[] = [];
  const collect: Consumer = async ({ Records }) => {
    waiting.push(...Records.filter(isConsumed));
    return { batchItemFailures: [] };
  };
  const { stop } = await followStream(await enableStream(TableName), collect, { pollIntervalMs: 5 });
  return {
    stop,
    async consume(count: number): Promise<Cost[]> {
      const costs: Cost[] = [];
      const end = Date.now() + MAX_WAIT_MS;
      while (costs.length < count) {
        const record = waiting.shift();
        if (!record && Date.now() > end)
          throw new Error(`Only ${costs.length} of ${count} stream records arrived in time`);
        if (record) costs.push(await measureCost(() => handler({ Records: [record] })));
        else await sleep(5);
      }
      return costs;
    },
  };
}
