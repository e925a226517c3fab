import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, toServiceError } from '../errors.ts';
import { shorten } from '../json.ts';
import { logError, logUnavailable } from '../log.ts';

/** Messages of graphql-js repeat what was sent. */
const MAX_MESSAGE_BYTES = 400;
/** A field that is selected many times has as many locations. */
const MAX_LOCATIONS = 3;

const toGraphqlCode = (code: ErrorCode) => (code === 'IDEMPOTENCY_KEY_REUSED' ? 'BAD_USER_INPUT' : code);

/** `challenge` is that of WWW-Authenticate, a header that Function URLs rename. */
const readPublicExtensions = ({ code, challenge }: Record<string, unknown> = {}) => ({
  code,
  ...(challenge ? { challenge } : {}),
});

/** What clients see: a ServiceError by its code, errors of GraphQL as they are, and of internal errors only the code. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const serviceError = toServiceError(original);
  const { message, locations, path, extensions } = formatted;
  const source = {
    ...(locations ? { locations: locations.slice(0, MAX_LOCATIONS) } : {}),
    ...(path?.length ? { path } : {}),
  };
  if (serviceError) {
    const { code, issues } = serviceError;
    if (code === 'SERVICE_UNAVAILABLE') logUnavailable({ path });
    return {
      message: serviceError.message,
      ...source,
      extensions: { code: toGraphqlCode(code), ...(issues ? { issues } : {}) },
    };
  }
  if (extensions?.code !== 'INTERNAL_SERVER_ERROR')
    return { message: shorten(message, MAX_MESSAGE_BYTES), ...source, extensions: readPublicExtensions(extensions) };
  logError(original, { path });
  return { message: 'Internal server error', ...source, extensions: { code: 'INTERNAL_SERVER_ERROR' } };
}

/** Formats an error as Apollo would: with `code` unless it has a code, and without the details of internal errors. */
export const formatGraphqlError = (error: GraphQLError, code = 'INTERNAL_SERVER_ERROR') =>
  formatError({ ...error.toJSON(), extensions: { code, ...error.extensions } }, error);
