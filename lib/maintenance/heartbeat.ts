import { writeIf } from '../dynamodb/conditional.ts';
import { heartbeatKey } from '../dynamodb/keys.ts';
import { timestamp } from '../environment.ts';
import type { Job } from './run.ts';

/**
 * Makes Lambda report every consumer's lag each minute, also without traffic (infra/construct/stream-consumer.ts). A
 * consumer that reports no lag receives no records.
 */
export const heartbeatJob: Job = {
  name: 'heartbeat',
  turnMs: 1_000,
  async *run() {
    const at = timestamp();
    await writeIf('Put', { Item: { ...heartbeatKey, at } });
    yield { at };
  },
};
