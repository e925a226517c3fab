import { putItemIf } from '../dynamodb/conditional.ts';
import { heartbeatKey } from '../dynamodb/keys.ts';
import { timestamp } from '../environment.ts';
import type { Job } from './run.ts';

/**
 * Changes an item in each run. The event sources pass its records to the consumers of the table's stream (infra/construct/stream-consumer.ts),
 * so that Lambda measures each minute how late a consumer is, also without traffic. No data means that it receives nothing.
 */
export const heartbeatJob: Job = {
  name: 'heartbeat',
  turnMs: 1_000,
  async *run() {
    const at = timestamp();
    await putItemIf({ Item: { ...heartbeatKey, at } });
    yield { at };
  },
};
