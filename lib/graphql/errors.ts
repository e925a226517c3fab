import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { asServiceError, type ErrorKind } from '../errors.ts';
import { logError, logUnavailable } from '../log.ts';

const CODE: Record<ErrorKind, string> = {
  invalid: 'BAD_USER_INPUT',
  'not-found': 'NOT_FOUND',
  taken: 'CONFLICT',
  stale: 'PRECONDITION_FAILED',
  'key-reused': 'BAD_USER_INPUT',
  unavailable: 'SERVICE_UNAVAILABLE',
};

/** What the caller sees of an error: ours by its code, GraphQL's own as it stands, and nothing of a fault but that. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const known = asServiceError(original);
  const { message, locations, path, extensions } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (known) {
    const { kind, issues } = known;
    if (kind === 'unavailable') logUnavailable({ path });
    return { message: known.message, ...place, extensions: { code: CODE[kind], ...(issues ? { issues } : {}) } };
  }
  if (extensions?.code !== 'INTERNAL_SERVER_ERROR')
    return { message, ...place, extensions: { code: extensions?.code } };
  logError(original, { path });
  return { message: 'Internal server error', ...place, extensions: { code: 'INTERNAL_SERVER_ERROR' } };
}
