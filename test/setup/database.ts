import { startTestDatabase } from './dynamodb-local.ts';

/** One database for the whole run; workers inherit its endpoint from the environment. */
export default async function setup(): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startTestDatabase();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  return stop;
}
