import type { TokenSettings } from '../../lib/auth/tokens.ts';
import type { Database } from './database/engine.ts';

export const LOCAL_TABLE = 'users';

/** Another DynamoDB, which the environment names. */
export const findExternalDatabase = (): string | undefined =>
  process.env.AWS_ENDPOINT_URL_DYNAMODB ?? process.env.AWS_ENDPOINT_URL;

/** The variables with which an AWS SDK, and so this service, finds a database. Its tables belong to the access key and the region. */
export const databaseEnvironment = ({ endpoint, accessKeyId }: Pick<Database, 'endpoint' | 'accessKeyId'>) => ({
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoint,
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: 'local',
});

/** Functions read the standard AWS variables when they are imported. */
export function setEnvironment(database: Database | undefined, tokens: TokenSettings | undefined): void {
  if (tokens) Object.assign(process.env, { AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience });
  const defaults: Record<string, string> = { TABLE_NAME: LOCAL_TABLE, AWS_REGION: 'local', SERVER_TIMING: 'on' };
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
  if (!database) return;
  // The SDK would prefer the person's profile, which may need a sign-in.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, databaseEnvironment(database));
}
