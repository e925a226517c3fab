import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, toServiceError } from '../errors.ts';
import { shorten } from '../input/parsing.ts';
import { logError, logUnavailable } from '../log.ts';

/** Maximum bytes of a message. graphql-js repeats parts of the request in its messages. */
const MAX_MESSAGE_BYTES = 400;
/** Maximum locations of an error. graphql-js adds one for each selection of the field. */
const MAX_LOCATIONS = 3;

/** GraphQL returns these more general codes. `reason` has the original code. */
const GENERAL_CODES: Partial<Record<ErrorCode, string>> = {
  IDEMPOTENCY_KEY_REUSED: 'BAD_USER_INPUT',
};

/**
 * Picks the extensions that clients may see. `challenge` repeats WWW-Authenticate, which Function URLs rename. `limit`:
 * maximum number of streams.
 */
const pickPublicExtensions = ({ code, challenge, limit }: Record<string, unknown> = {}) => ({
  code,
  ...(challenge ? { challenge } : {}),
  ...(limit === undefined ? {} : { limit }),
});

/** Hides everything but the code of internal errors, and logs them. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const serviceError = toServiceError(original);
  const { message, locations, path, extensions } = formatted;
  const source = {
    ...(locations ? { locations: locations.slice(0, MAX_LOCATIONS) } : {}),
    ...(path?.length ? { path } : {}),
  };
  if (serviceError) {
    const { code, reason, issues, current, challenge, retryAfterSeconds } = serviceError;
    if (code === 'SERVICE_UNAVAILABLE') logUnavailable({ path });
    return {
      message: serviceError.message,
      ...source,
      extensions: {
        code: GENERAL_CODES[code] ?? code,
        reason,
        ...(issues ? { issues } : {}),
        ...(current ? { version: current.version } : {}),
        ...(challenge ? { challenge } : {}),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      },
    };
  }
  if (extensions?.code !== 'INTERNAL_SERVER_ERROR')
    return { message: shorten(message, MAX_MESSAGE_BYTES), ...source, extensions: pickPublicExtensions(extensions) };
  logError(original, { path });
  return { message: 'Internal server error', ...source, extensions: { code: 'INTERNAL_SERVER_ERROR' } };
}

export const formatGraphqlError = (error: GraphQLError, code = 'INTERNAL_SERVER_ERROR') =>
  formatError({ ...error.toJSON(), extensions: { code, ...error.extensions } }, error);

/** Creates an error with `extensions.http`, which Apollo also uses. */
export const httpError = (
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
  details: { limit?: number } = {},
) =>
  new GraphQLError(message, {
    extensions: { code, ...details, http: { status, headers: new Map(Object.entries(headers)) } },
  });

export class DocumentErrors extends Error {
  readonly errors: readonly GraphQLError[];
  readonly code: string;

  constructor(code: string, errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.errors = errors;
    this.code = code;
  }
}

export type JsonResponse = { statusCode: number; headers: Record<string, string>; body: string };

type Http = { status?: number; headers?: Map<string, string> };

const DEFAULTS: Record<string, Http> = {
  FORBIDDEN: { status: 403 },
  INTERNAL_SERVER_ERROR: { status: 500 },
  SERVICE_UNAVAILABLE: { status: 503, headers: new Map([['retry-after', '1']]) },
};

export function toGraphqlResponse(error: unknown): JsonResponse {
  const { errors, code } = error instanceof DocumentErrors ? error : { errors: [toGraphqlError(error)] };
  const formatted = errors.map((each) => formatGraphqlError(each, code));
  const { code: firstCode, retryAfterSeconds } = formatted[0]?.extensions ?? {};
  const http: Http = errors[0]?.extensions.http ?? DEFAULTS[String(firstCode)] ?? {};
  return {
    statusCode: http.status ?? 400,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...Object.fromEntries(http.headers ?? []),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ errors: formatted }),
  };
}

export const formatThrown = (error: unknown): GraphQLFormattedError => formatGraphqlError(toGraphqlError(error));

function toGraphqlError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });
}
