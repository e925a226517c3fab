import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { table } from '../../../lib/dynamodb/client.ts';
import { unavailable } from '../../../lib/errors.ts';

/**
 * Removes the idempotency token: for each transaction, the embedded engine scans all tokens of the last ten minutes.
 * Without a token, a transaction with a lost response may have been written. It is not retried and throws
 * SERVICE_UNAVAILABLE.
 */
export function omitTransactionTokens({ middlewareStack }: Pick<typeof table, 'middlewareStack'>): void {
  middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown }; // The middleware's type leaves the protocol open.
      if (request.body instanceof Uint8Array) request.body = omitToken(request.body);
      return next(args);
    },
    // After serialization, before the length is computed.
    { step: 'build', priority: 'high', name: 'omitTransactionTokens' },
  );
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          throw commandName.startsWith('TransactWrite') && !wasAnswered(error) ? unavailable() : error;
        }
      },
    // Runs for each attempt of the SDK.
    { step: 'deserialize', priority: 'high', name: 'sendTransactionsOnce' },
  );
}

const wasAnswered = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$metadata.httpStatusCode !== undefined;

/** The last member of the request. Quotes in item texts are escaped, so they cannot match. */
const TOKEN = ',"ClientRequestToken":"';

function omitToken({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const body = Buffer.from(buffer, byteOffset, byteLength);
  const at = body.lastIndexOf(TOKEN);
  return at < 0 ? body : Buffer.concat([body.subarray(0, at), Buffer.from('}')]);
}
