import type { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { environment } from '../environment.ts';
import { userKey } from './keys.ts';
import { addCapacityMiddleware, addLostAnswerMiddleware, DeadlineHttpHandler } from './requests.ts';

export const TableName = environment.tableName;

const MAX_ATTEMPTS = 5;

/** A web function answers 128 requests at once. With the SDK's 50 connections, those that wait for one would run out of time. */
const CONNECTIONS = { maxSockets: 500 };

/** Full jitter, from 50 ms: the SDK's own backoff from throttles starts at 1 s. */
const backoffMs = (attempt: number) => environment.random() * Math.min(400, 50 * 2 ** attempt);

/** Reads a response without the SDK's detour: a pipe into another stream, and the web streams that it compares the body with load 5 modules. */
const readBody = (body: Readable) =>
  new Promise<Uint8Array>((resolve, reject) => {
    const parts: Buffer[] = [];
    body
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => resolve(Buffer.concat(parts)))
      .on('error', reject);
  });

/** Endpoint, region and credentials come from the standard AWS environment variables. */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, backoffMs),
    requestHandler: new DeadlineHttpHandler({
      httpAgent: CONNECTIONS,
      httpsAgent: CONNECTIONS,
      connectionTimeout: environment.attemptTimeLimitMs,
      requestTimeout: environment.attemptTimeLimitMs,
      throwOnRequestTimeout: true,
    }),
    streamCollector: readBody,
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

type Headers = Record<string, string>;

/** Leaves out what the SDK does for each request without a use: 10 % of the CPU time of a read. */
function removeRequestOverhead({ middlewareStack }: DynamoDBDocumentClient): void {
  // It filters input and output for the logs of a client that has no logger.
  middlewareStack.remove('loggerMiddleware');
  let userAgent: Headers | undefined;
  middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Headers }; // HTTP is what the middleware's type leaves open.
      if (userAgent) Object.assign(headers, userAgent);
      else {
        // It computes the same headers for each request: keep those of the first one.
        middlewareStack.remove('getUserAgentMiddleware');
        userAgent = pick(headers, ['user-agent', 'x-amz-user-agent']);
      }
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'high', name: 'userAgent' },
  );
}

const pick = (headers: Headers, names: string[]): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));

addCapacityMiddleware(table);
addLostAnswerMiddleware(table);
removeRequestOverhead(table);

/** Opens the connection during INIT, before the first request. A failure here shows again in that request. */
if (environment.isLambdaInit)
  await table
    .send(new GetCommand({ TableName, Key: userKey('') }), { abortSignal: environment.timeout(1_000) })
    .catch(() => undefined);
