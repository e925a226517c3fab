import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../infra/local/create-table.ts';
import { startDatabase } from '../../infra/local/database.ts';

const USERS = 100_000;

const database = await startDatabase();
try {
  const TABLE_NAME = 'costs';
  Object.assign(process.env, {
    TABLE_NAME,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  });
  await createTable(TABLE_NAME);
  const stream = (StreamEnabled: boolean) =>
    new DynamoDBClient().send(
      new UpdateTableCommand({
        TableName: TABLE_NAME,
        StreamSpecification: { StreamEnabled, ...(StreamEnabled ? { StreamViewType: 'NEW_AND_OLD_IMAGES' } : {}) },
      }),
    );
  // Standard output is for the results: the functions' request lines have no place there.
  console.info = () => {};
  // Only now: what it imports reads the environment.
  const { loadUsers } = await import('./load.ts');
  const { measureCosts } = await import('./costs/measurements.ts');
  const { markdown } = await import('./costs/report.ts');
  // The embedded database loads seven times faster without.
  await stream(false);
  await loadUsers(0, USERS, Date.now() - 24 * 3_600_000);
  await stream(true);
  console.log(markdown(await measureCosts(USERS)));
} finally {
  await database.stop();
}
