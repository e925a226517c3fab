import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../infra/local/create-table.ts';
import { startDatabase } from '../../infra/local/database.ts';

const { users, out } = parseArgs({
  options: {
    users: { type: 'string', default: '1000,100000,1000000' },
    out: { type: 'string', default: import.meta.dirname },
  },
}).values;

const database = await startDatabase();
try {
  const TABLE_NAME = 'bench';
  Object.assign(process.env, {
    TABLE_NAME,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  });
  await createTable(TABLE_NAME);
  // Nobody follows it here, and the embedded database loads seven times faster without.
  await new DynamoDBClient().send(
    new UpdateTableCommand({ TableName: TABLE_NAME, StreamSpecification: { StreamEnabled: false } }),
  );
  // Only now: what it imports reads the environment.
  const { measureAll } = await import('./run.ts');
  const { markdown } = await import('./table.ts');
  const { chart } = await import('./chart.ts');
  const results = await measureAll(users.split(',').map(Number));
  writeFileSync(`${out}/pages.md`, markdown(results));
  writeFileSync(`${out}/pages.svg`, chart(results));
  console.log(markdown(results));
} finally {
  await database.stop();
}
