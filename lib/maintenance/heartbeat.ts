import { putItemIf } from '../dynamodb/conditional.ts';
import { heartbeatKey } from '../dynamodb/keys.ts';
import { timestamp } from '../environment.ts';
import type { Job } from './run.ts';

/**
 * Writes an item in each run. Its stream record makes Lambda report every consumer's lag each minute, also without
 * traffic (infra/construct/stream-consumer.ts). If a consumer reports no lag, the consumer receives no records.
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
