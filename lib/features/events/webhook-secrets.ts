import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { DeadlineHttpHandler } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { logFailure } from '../../log.ts';
import { isSecret, SECRET_PREFIX } from './webhook.ts';

/**
 * Time that secrets are cached. A rotation takes effect within this time. The monotonic clock cannot measure this time,
 * because it stops while Lambda suspends the process.
 */
const MAX_AGE_MS = 300_000;

const secretsManager = new SecretsManagerClient({ requestHandler: new DeadlineHttpHandler() });

let known: { secrets: string[]; readAt: number } | undefined;

/**
 * Returns the current and the previous secret. Signing with both lets receivers switch at any time after a rotation.
 * Throws if no valid secret was ever read.
 */
export async function getSecrets(): Promise<string[]> {
  if (known && environment.now() - known.readAt < MAX_AGE_MS) return known.secrets;
  try {
    const [current, previous] = await Promise.all([readVersion('AWSCURRENT'), readVersion('AWSPREVIOUS')]);
    if (!current) throw new Error('The webhook secret has no current version');
    known = { secrets: previous ? [current, previous] : [current], readAt: environment.now() };
  } catch (error) {
    if (!known) throw error;
    logFailure(error, { secret: 'kept' });
  }
  return known.secrets;
}

async function readVersion(stage: 'AWSCURRENT' | 'AWSPREVIOUS'): Promise<string | undefined> {
  const command = new GetSecretValueCommand({ SecretId: environment.webhookSecretArn, VersionStage: stage });
  try {
    const { SecretString = '' } = await secretsManager.send(command);
    return toSecret(SecretString.trim(), stage);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Adds the prefix if it is missing. Secrets Manager generates letters and digits, which are valid base64. */
function toSecret(text: string, stage: string): string {
  const secret = text.startsWith(SECRET_PREFIX) ? text : `${SECRET_PREFIX}${text}`;
  if (isSecret(secret)) return secret;
  throw new Error(`Invalid webhook secret, version ${stage}: expected whsec_ and 24 to 64 bytes in base64`);
}
