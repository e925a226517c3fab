import { startGuard } from '../../infra/local/database/engine.ts';
import { databaseEnvironment, startDatabase } from '../../infra/local/database/start.ts';

/** Starts DynamoDB Local once for all workers, because each start takes seconds. Workers inherit the endpoint. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // One guard kills the databases of all test files if the test run is killed.
  startGuard();
  if (process.env.TEST_DATABASE !== 'dynamodb-local') return undefined;
  const database = await startDatabase(undefined, 'dynamodb-local');
  Object.assign(process.env, databaseEnvironment(database));
  return database.stop;
}
