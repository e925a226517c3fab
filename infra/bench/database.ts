import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDatabase } from '../local/database/start.ts';
import { createTable } from '../local/table.ts';

/** `run` must import modules of lib/ dynamically, because these read the environment variables set here on import. */
export async function onTable(TABLE_NAME: string, run: () => Promise<void>): Promise<void> {
  const database = await startDatabase();
  try {
    Object.assign(process.env, {
      TABLE_NAME,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
    });
    await createTable(TABLE_NAME);
    await run();
  } finally {
    await database.stop();
  }
}

export async function recreateTable(): Promise<void> {
  const { TABLE_NAME: TableName = '' } = process.env;
  await new DynamoDBClient().send(new DeleteTableCommand({ TableName }));
  await createTable(TableName);
}
