import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { table } from '../../../lib/dynamodb/client.ts';
import { unavailable } from '../../../lib/errors.ts';

/**
 * Sends transactions without the token by which DynamoDB recognizes a repetition. The embedded engine serializes and hashes
 * what has one, and looks at every token of the last ten minutes before the next. Without a token, nothing tells whether a
 * transaction that was not answered has written: so the SDK does not repeat it, and it throws SERVICE_UNAVAILABLE.
 */
export function omitTransactionTokens({ middlewareStack }: Pick<typeof table, 'middlewareStack'>): void {
  middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown }; // HTTP is what the middleware's type leaves open.
      if (request.body instanceof Uint8Array) request.body = omitToken(request.body);
      return next(args);
    },
    // The request is serialized by then; its length is not measured yet.
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
    // Each attempt of the SDK comes here.
    { step: 'deserialize', priority: 'high', name: 'sendTransactionsOnce' },
  );
}

const wasAnswered = (error: unknown): boolean =>
  error instanceof DynamoDBServiceException && error.$metadata.httpStatusCode !== undefined;

/** The token is the last member of the request. In texts of items, quotes are escaped. */
const TOKEN = ',"ClientRequestToken":"';

function omitToken({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const body = Buffer.from(buffer, byteOffset, byteLength);
  const at = body.lastIndexOf(TOKEN);
  return at < 0 ? body : Buffer.concat([body.subarray(0, at), Buffer.from('}')]);
}
