import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { table } from '../../../lib/dynamodb/client.ts';
import { unavailable } from '../../../lib/errors.ts';

/**
 * Removes the SDK's idempotency token: per transaction, the embedded engine scans all tokens of the last ten minutes. A
 * transaction without a token must not be sent twice, so the service throws SERVICE_UNAVAILABLE if its response is
 * lost.
 */
export function omitTransactionTokens({ middlewareStack }: Pick<typeof table, 'middlewareStack'>): void {
  middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown }; // The middleware's type leaves the protocol open.
      if (request.body instanceof Uint8Array) request.body = omitToken(request.body);
      return next(args);
    },
    // Runs after the request was serialized, and before its length is computed.
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
    // In this step, middleware runs for each attempt of the SDK.
    { step: 'deserialize', priority: 'high', name: 'sendTransactionsOnce' },
  );
}

const wasAnswered = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$metadata.httpStatusCode !== undefined;

/** The request's JSON ends with the token. Quotes in item texts are escaped, so no text matches. */
const TOKEN = ',"ClientRequestToken":"';

function omitToken({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const body = Buffer.from(buffer, byteOffset, byteLength);
  const at = body.lastIndexOf(TOKEN);
  return at < 0 ? body : Buffer.concat([body.subarray(0, at), Buffer.from('}')]);
}
