import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { addCapacityMiddleware } from './capacity.ts';
import { DeadlineHttpHandler } from './deadline.ts';
import { userKey } from './keys.ts';
import { removeRequestOverhead } from './request-overhead.ts';

export const TableName = process.env.TABLE_NAME ?? 'users';

const MAX_ATTEMPTS = 5;
const ATTEMPT_TIME_LIMIT_MS = Number(process.env.ATTEMPT_TIME_LIMIT_MS ?? 1_500);

/** Full jitter, from 50 ms: the SDK's own backoff from throttles starts at 1 s. */
const backoffMs = (attempt: number) => Math.random() * Math.min(400, 50 * 2 ** attempt);

/** Endpoint, region and credentials come from the standard AWS environment variables. */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, backoffMs),
    requestHandler: new DeadlineHttpHandler({
      connectionTimeout: ATTEMPT_TIME_LIMIT_MS,
      requestTimeout: ATTEMPT_TIME_LIMIT_MS,
      throwOnRequestTimeout: true,
    }),
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);
addCapacityMiddleware(table);
removeRequestOverhead(table);

/** Opens the connection during INIT, before the first request. A failure here shows again in that request. */
if (process.env.AWS_LAMBDA_INITIALIZATION_TYPE)
  await table
    .send(new GetCommand({ TableName, Key: userKey('') }), { abortSignal: AbortSignal.timeout(1_000) })
    .catch(() => undefined);
