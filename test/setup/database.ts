import { randomUUID } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { databaseEnvironment, startDatabase } from '../../infra/local/database/start.ts';
import { createTable } from '../../infra/local/table.ts';
import { GENEROUS_TIME_LIMITS } from './time-limits.ts';

// Each worker has its own database, because the embedded one starts in 10 ms.
if (!process.env.AWS_ENDPOINT_URL_DYNAMODB) {
  const database = await startDatabase();
  // Vitest ends workers with SIGTERM, which skips "exit" by default and would leave the database running.
  process.once('SIGTERM', () => process.exit());
  process.once('exit', database.stop);
  // Drop the developer's AWS profile, which the SDK would prefer.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, databaseEnvironment(database));
}
Object.assign(process.env, GENEROUS_TIME_LIMITS, { TABLE_NAME: `users-${randomUUID()}` });
const variables = { ...process.env };

export function restoreVariables(): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  Object.assign(process.env, variables);
}

/** Recreates the table under the same name, because lib/ reads the name only once. */
export async function resetDatabase(): Promise<void> {
  restoreVariables();
  const { TABLE_NAME: TableName = '' } = variables;
  const client = new DynamoDBClient();
  try {
    await client.send(new DeleteTableCommand({ TableName }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  } finally {
    client.destroy();
  }
  await createTable(TableName);
}
