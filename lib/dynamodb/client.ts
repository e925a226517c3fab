import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { environment } from '../environment.ts';
import { addCapacityMiddleware } from './capacity.ts';
import { DeadlineHttpHandler } from './deadline.ts';
import { userKey } from './keys.ts';
import { removeRequestOverhead } from './request-overhead.ts';

export const TableName = environment.tableName;

const MAX_ATTEMPTS = 5;

/** Full jitter, from 50 ms: the SDK's own backoff from throttles starts at 1 s. */
const backoffMs = (attempt: number) => environment.random() * Math.min(400, 50 * 2 ** attempt);

/** Endpoint, region and credentials come from the standard AWS environment variables. */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, backoffMs),
    requestHandler: new DeadlineHttpHandler({
      connectionTimeout: environment.attemptTimeLimitMs,
      requestTimeout: environment.attemptTimeLimitMs,
      throwOnRequestTimeout: true,
    }),
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);
addCapacityMiddleware(table);
removeRequestOverhead(table);

/** Opens the connection during INIT, before the first request. A failure here shows again in that request. */
if (environment.isLambdaInit)
  await table
    .send(new GetCommand({ TableName, Key: userKey('') }), { abortSignal: environment.timeout(1_000) })
    .catch(() => undefined);
