import { GraphQLError } from 'graphql';
import { formatGraphqlError } from './format-error.ts';
import { RequestError } from './request-error.ts';

export type ErrorResponse = { statusCode: number; headers: Record<string, string>; body: string };

type Http = { status?: number; headers?: Map<string, string> };

/** What the response is without a status in `extensions.http`; 400 for every other code. */
const DEFAULTS: Record<string, Http> = {
  INTERNAL_SERVER_ERROR: { status: 500 },
  SERVICE_UNAVAILABLE: { status: 503, headers: new Map([['retry-after', '1']]) },
};

/** The response to a request that was not executed. */
export function toErrorResponse(error: unknown): ErrorResponse {
  const { errors, code } = error instanceof RequestError ? error : { errors: [toGraphqlError(error)] };
  const formatted = errors.map((each) => formatGraphqlError(each, code));
  const http: Http = errors[0]?.extensions.http ?? DEFAULTS[String(formatted[0]?.extensions?.code)] ?? {};
  return {
    statusCode: http.status ?? 400,
    headers: { 'content-type': 'application/json; charset=utf-8', ...Object.fromEntries(http.headers ?? []) },
    body: JSON.stringify({ errors: formatted }),
  };
}

function toGraphqlError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });
}
