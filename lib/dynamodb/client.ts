import type { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { environment } from '../environment.ts';
import { userKey } from './keys.ts';
import { addCapacityMiddleware, addLostAnswerMiddleware, DeadlineHttpHandler } from './requests.ts';

export const TableName = environment.tableName;

const MAX_ATTEMPTS = 5;

/**
 * A web function handles 128 requests at once. The SDK's default of 50 connections would let waiting requests time out.
 */
// Stryker disable next-line ObjectLiteral: only matters under load
const CONNECTIONS = { maxSockets: 500 };

/** Random, at most 400 ms. The SDK's default pause after throttling starts at 1 s. */
// Stryker disable next-line all: only matters under load
const backoffMs = (attempt: number) => environment.random() * Math.min(400, 50 * 2 ** attempt);

/** Replaces the SDK's reader, which loads 5 modules for web streams. */
const readBody = (body: Readable) =>
  new Promise<Uint8Array>((resolve, reject) => {
    const parts: Buffer[] = [];
    body
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => resolve(Buffer.concat(parts)))
      .on('error', reject);
  });

export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: new ConfiguredRetryStrategy(MAX_ATTEMPTS, backoffMs),
    requestHandler: new DeadlineHttpHandler({ httpAgent: CONNECTIONS, httpsAgent: CONNECTIONS }),
    streamCollector: readBody,
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

type Headers = Record<string, string>;

// Stryker disable all: only saves work
/** Removes SDK work that takes 10 % of the CPU time of a read. */
function removeRequestOverhead({ middlewareStack }: DynamoDBDocumentClient): void {
  // Removed, because it filters input and output for logs, although the client has no logger.
  middlewareStack.remove('loggerMiddleware');
  let userAgent: Headers | undefined;
  middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Headers }; // The type does not know that requests are HTTP.
      if (userAgent) Object.assign(headers, userAgent);
      else {
        // Removed, because it computes the same headers for each request.
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
// Stryker restore all

addCapacityMiddleware(table);
addLostAnswerMiddleware(table);
removeRequestOverhead(table);

/** Opens a connection while Lambda initializes the environment. The first request reports failures. */
if (environment.isLambdaInit)
  await table
    .send(new GetCommand({ TableName, Key: userKey('') }), { abortSignal: environment.timeout(1_000) })
    .catch(() => undefined);
