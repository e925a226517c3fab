import {
  emailTaken,
  idempotencyKeyReused,
  invalidInput,
  notFound,
  unavailable,
  versionMismatch,
} from '../../errors.ts';
import { toErrorResponse } from '../errors.ts';
import type { Operation } from '../operations.ts';
import { ref } from './components.ts';
import { describeHeaders } from './headers.ts';

const json = (schema: string, example: unknown) => ({
  content: { 'application/json': { schema: ref('schemas', schema), example } },
});

/** Shown with the body and the headers that the door really gives. */
function ours(description: string, thrown: unknown) {
  const failure = toErrorResponse(thrown) ?? { body: { error: 'Internal server error' } };
  const headers = 'headers' in failure && failure.headers ? { headers: describeHeaders(failure.headers) } : {};
  return { description, ...headers, ...json('Error', failure.body) };
}

const gateways = (description: string, message: string) => ({ description, ...json('GatewayMessage', { message }) });

/** By their names in the document. */
export const failures = {
  Invalid: ours('The input is not valid', invalidInput(['email'], 'email: must be an email address')),
  Unauthorized: gateways("The gateway's: no valid credentials", 'Unauthorized'),
  Forbidden: gateways("The gateway's: the credentials do not allow this", 'Forbidden'),
  NotFound: ours('No user has this id', notFound('User')),
  NotAcceptable: ours('Accept is given and without JSON', { statusCode: 406 }),
  Taken: ours('Another user has the email', emailTaken()),
  Stale: ours('The user is at another version than If-Match names', versionMismatch()),
  UnsupportedMediaType: ours('The body is of another media type', { statusCode: 415 }),
  KeyReused: ours('The idempotency key was used with another body', idempotencyKeyReused()),
  TooManyRequests: gateways("The gateway's: the throttling limit is reached", 'Too Many Requests'),
  Fault: ours('A fault of the service', new Error('any')),
  Unavailable: ours('The database is busy or out of reach: try again', unavailable()),
};

/** Which of them an operation can end in, by status. */
export function errorResponses({ method, path, body, status }: Operation) {
  const byId = path !== '';
  const names: Record<number, keyof typeof failures | false> = {
    400: 'Invalid',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: byId && 'NotFound',
    406: status !== 204 && 'NotAcceptable',
    409: body !== undefined && 'Taken',
    412: byId && method !== 'GET' && 'Stale',
    415: body !== undefined && 'UnsupportedMediaType',
    422: method === 'POST' && 'KeyReused',
    429: 'TooManyRequests',
    500: 'Fault',
    503: 'Unavailable',
  };
  return Object.fromEntries(
    Object.entries(names).flatMap(([status, name]) => (name ? [[status, ref('responses', name)]] : [])),
  );
}
