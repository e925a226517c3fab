import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';

/**
 * A larger error makes the page index miss deletions and returns. Even after WRITE_ATTEMPT_MS, a write must appear
 * within SETTLING_MS.
 */
export const MAX_ERROR_MS = 2_500;

/** The header Date has whole seconds: it is half a second old on average. */
const MEAN_AGE_MS = 500;

/** Throws if this machine's clock is wrong. The SDK corrects only its signatures, not the times and ids of users. */
export async function checkClock(): Promise<void> {
  await table.send(new GetCommand({ TableName, Key: userKey('') }));
  // DynamoDB's time minus the time of this machine.
  const error = table.config.systemClockOffset + MEAN_AGE_MS;
  if (Math.abs(error) <= MAX_ERROR_MS) return;
  const seconds = Math.round(Math.abs(error) / 1000);
  const direction = error > 0 ? 'behind' : 'ahead';
  throw new Error(
    `The clock of this machine is ${seconds} seconds ${direction}. Set it: it decides ids and times in the table`,
  );
}
