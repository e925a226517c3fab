import type { table } from '../../../lib/dynamodb/client.ts';

/**
 * Sends transactions without the token by which DynamoDB recognizes a repetition, which the SDK adds to each. The embedded engine
 * serializes and hashes what has one, and looks at every token of the last ten minutes before the next. A row does without: if
 * an answer is lost, the repetition finds that the claims of the row are those of the same user.
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
}

/** The token is the last member of the request. In texts of items, quotes are escaped. */
const TOKEN = ',"ClientRequestToken":"';

function omitToken({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  const body = Buffer.from(buffer, byteOffset, byteLength);
  const at = body.lastIndexOf(TOKEN);
  return at < 0 ? body : Buffer.concat([body.subarray(0, at), Buffer.from('}')]);
}
