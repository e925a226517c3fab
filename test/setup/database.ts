import type { Database } from '../../infra/local/database/engine.ts';

/** The variables with which an AWS SDK, or this service, finds a database. */
export const databaseEnvironment = ({ endpoint }: Database) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
});
