import { databaseEnvironment } from './database.ts';
import { startDynamodbLocal } from './dynamodb-local.ts';

/** DynamoDB Local takes seconds to start: one for the whole run. Workers inherit its endpoint from the environment. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE !== 'dynamodb-local') return undefined;
  const database = await startDynamodbLocal();
  Object.assign(process.env, databaseEnvironment(database));
  return database.stop;
}
