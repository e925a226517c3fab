import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';

/** The page index and erasures tolerate clocks that differ by less than three minutes. */
const MAX_ERROR_MS = 60_000;

/** Throws if this machine's clock is wrong. The SDK corrects only its signatures, not the times and ids of users. */
export async function checkClock(): Promise<void> {
  await table.send(new GetCommand({ TableName, Key: userKey('') }));
  // DynamoDB's time minus the time of this machine, by the header Date of the response.
  const { systemClockOffset } = table.config;
  if (Math.abs(systemClockOffset) <= MAX_ERROR_MS) return;
  const seconds = Math.round(Math.abs(systemClockOffset) / 1000);
  const direction = systemClockOffset > 0 ? 'behind' : 'ahead';
  throw new Error(
    `The clock of this machine is ${seconds} seconds ${direction}. Set it: it decides ids and times in the table`,
  );
}
