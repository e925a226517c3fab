import { startGuard } from '../../infra/local/database/engine.ts';
import { databaseEnvironment, startDatabase } from '../../infra/local/database/start.ts';

/** DynamoDB Local takes seconds to start: one for the whole run. Workers inherit its endpoint from the environment. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // One guard serves the databases of all test files.
  startGuard();
  if (process.env.TEST_DATABASE !== 'dynamodb-local') return undefined;
  const database = await startDatabase(undefined, 'dynamodb-local');
  Object.assign(process.env, databaseEnvironment(database));
  return database.stop;
}
