import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';

/** The page index verifies new users, and an erasure expects late stream records, by times that are minutes off. */
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
    `The clock of this machine is ${seconds} seconds ${direction}. Set it: users get ids and times from it`,
  );
}
