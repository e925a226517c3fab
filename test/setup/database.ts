import type { Database } from '../../infra/local/database/engine.ts';
import { startDatabase } from '../../infra/local/database/start.ts';

/** The variables with which an AWS SDK, or this service, finds a database. */
export const databaseEnvironment = ({ endpoint }: Database) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});

/** The embedded database, or DynamoDB Local where TEST_DATABASE asks for that. */
export const startTestDatabase = (): Promise<Database> =>
  process.env.TEST_DATABASE === 'dynamodb-local' ? startDatabase(undefined, 'dynamodb-local') : startDatabase();
