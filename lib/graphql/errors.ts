import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toServiceError, type ErrorCode } from '../errors.ts';
import { logError, logUnavailable } from '../log.ts';

/** GraphQL has no code of its own for a reused idempotency key: to its clients that is a wrong input. */
const toGraphqlCode = (code: ErrorCode) => (code === 'IDEMPOTENCY_KEY_REUSED' ? 'BAD_USER_INPUT' : code);

/** What the caller sees of an error: ours by its code, GraphQL's own as it stands, and nothing of a fault but that. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const known = toServiceError(original);
  const { message, locations, path, extensions } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (known) {
    const { code, issues } = known;
    if (code === 'SERVICE_UNAVAILABLE') logUnavailable({ path });
    return {
      message: known.message,
      ...place,
      extensions: { code: toGraphqlCode(code), ...(issues ? { issues } : {}) },
    };
  }
  if (extensions?.code !== 'INTERNAL_SERVER_ERROR')
    return { message, ...place, extensions: { code: extensions?.code } };
  logError(original, { path });
  return { message: 'Internal server error', ...place, extensions: { code: 'INTERNAL_SERVER_ERROR' } };
}
