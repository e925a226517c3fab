import type { TokenSettings } from '../../lib/auth/tokens.ts';
import type { Database } from './database/engine.ts';

export const LOCAL_TABLE = 'users';

/** Another DynamoDB, which the environment names. */
export const findExternalDatabase = (): string | undefined =>
  process.env.AWS_ENDPOINT_URL_DYNAMODB ?? process.env.AWS_ENDPOINT_URL;

/** Functions read the standard AWS variables when they are imported. The embedded database accepts any credentials. */
export function setEnvironment(database: Database | undefined, tokens: TokenSettings | undefined): void {
  if (tokens) Object.assign(process.env, { AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience });
  const defaults: Record<string, string> = { TABLE_NAME: LOCAL_TABLE, AWS_REGION: 'local', SERVER_TIMING: 'on' };
  if (database)
    Object.assign(defaults, {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value;
}
