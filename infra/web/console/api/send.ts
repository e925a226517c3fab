import * as z from 'zod/mini';
import { readAuthorization } from '../auth/access-token.ts';
import { type ApiRequest, isGraphql, parseUsage, recordCall } from './calls.ts';
import { ApiError, findGraphqlError, fromRestError } from './errors.ts';

const NOT_JSON = 'The answer is not the JSON of the service. It may come from a proxy or a login page.';

export type ApiResponse = { status: number; headers: Headers; json: unknown };

/** Sends a request to the REST API and records it. Throws an ApiError for an error response, or one that is not JSON. */
export async function send(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
  const finish = recordCall(request);
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  try {
    const response = await fetch(request.path, toFetchOptions(request, signal));
    const body = await response.text();
    const usage = parseUsage(response.headers.get('server-timing'));
    finish({ status: response.status, milliseconds: elapsed(), usage, body });
    const json = body ? parseJson(body) : undefined;
    if (!response.ok && !(isGraphql(request) && findGraphqlError(json))) throw fromRestError(response.status, json);
    if (body && json === undefined) throw new ApiError(response.status, NOT_JSON);
    return { status: response.status, headers: response.headers, json };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    finish({ status: signal?.aborted ? 'cancelled' : 'failed', milliseconds: elapsed(), body: String(error) });
    throw signal?.aborted ? error : new ApiError(0, 'The service cannot be reached');
  }
}

/** Sends an operation to the GraphQL API, and returns its data. Throws an ApiError for the first error of its result. */
export async function sendGraphql<Data>(
  query: string,
  data: z.ZodMiniType<Data>,
  variables: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<Data> {
  const response = await send({ method: 'POST', path: '/graphql', body: { query, variables } }, signal);
  const error = findGraphqlError(response.json);
  if (error) throw error;
  return parseBody(z.object({ data }), response).data;
}

/** Parses what the service has answered. Throws an ApiError if something else has answered, such as a proxy. */
export function parseBody<Body>(schema: z.ZodMiniType<Body>, { status, json }: ApiResponse): Body {
  const { data, success } = schema.safeParse(json);
  if (!success) throw new ApiError(status, NOT_JSON);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toFetchOptions = ({ method, headers, body }: ApiRequest, signal?: AbortSignal): RequestInit => ({
  method,
  headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...readAuthorization(), ...headers },
  ...(body ? { body: JSON.stringify(body) } : {}),
  ...(signal ? { signal } : {}),
  cache: 'no-store',
});

/** `crypto.randomUUID` is missing on pages that are served over plain HTTP to other machines. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
