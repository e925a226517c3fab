import { insufficientScope } from '../../lib/auth/caller.ts';
import {
  concurrentChanges,
  forbidden,
  idempotencyKeyReused,
  invalidInput,
  notFound,
  unavailable,
  valueTaken,
  versionMismatch,
} from '../../lib/errors.ts';
import { signInTooOld } from '../../lib/features/me/person.ts';
import { tooManyWrites } from '../../lib/features/me/person-item.ts';
import { hasRecord } from '../../lib/features/me/write.ts';
import {
  methodNotAllowed,
  notAcceptable,
  PROBLEM_TYPE,
  toRestError,
  unsupportedEncoding,
  unsupportedMediaType,
  unsupportedPatch,
} from '../../lib/rest/errors.ts';
import type { Operation } from '../../lib/rest/operation.ts';
import { type HeaderValues, listCommonHeaders } from '../../lib/rest/responses.ts';
import { subjectField } from '../../lib/users/fields/values.ts';
import { describeHeaders, ref } from './components.ts';
import { exampleUser } from './example-user.ts';

function describeError(description: string, error: Error, further: HeaderValues = {}) {
  const { body, headers, problem } = toRestError(error);
  const { content } = jsonContent('error' in body ? 'ErrorBody' : 'GatewayMessage', body);
  const problems = { [PROBLEM_TYPE]: { schema: ref('schemas', 'Problem'), example: problem } };
  return {
    description,
    headers: describeHeaders({ ...headers, ...further, ...listCommonHeaders({}) }),
    content: { ...content, ...problems },
  };
}

const describeGatewayError = (description: string, message: string) => ({
  description: `${description} (sent by the gateway)`,
  ...jsonContent('GatewayMessage', { message }),
});

const jsonContent = (schema: string, example: unknown) => ({
  content: { 'application/json': { schema: ref('schemas', schema), example } },
});

/** API Gateway may send the same status with its own body. */
function describeSharedError(description: string, error: Error) {
  const { content, ...response } = describeError(description, error);
  const { example } = content['application/json'];
  const schema = { anyOf: [ref('schemas', 'ErrorBody'), ref('schemas', 'GatewayMessage')] };
  return { ...response, content: { ...content, 'application/json': { schema, example } } };
}

/** Errors of `/v1/users/me`. */
const ownRecordErrors = {
  OwnRecordForbidden: describeSharedError(
    'You are blocked, or the token does not allow this operation, has another address or does not verify it, or is of a sign-in too long ago',
    signInTooOld(),
  ),
  DeletionTurnedOff: describeError(
    'The service does not allow deletions',
    methodNotAllowed(['GET', 'HEAD', 'POST', 'PATCH']),
  ),
  OwnRecordConflict: describeError(
    'You already have a record (see `Location`), deleted it in the last 24 hours, or another user has a unique value or login',
    hasRecord(),
    { location: '/v1/users/me' },
  ),
  TooManyChanges: describeSharedError(
    'You exceeded the rate limit, 60 changes an hour, or three downloads a day. Try again after the seconds in `Retry-After`',
    tooManyWrites(600),
  ),
};

export const errorResponseComponents = {
  BadRequest: describeError(
    'The request is invalid: see `issues`',
    invalidInput(['email'], 'must be an email address'),
  ),
  Unauthorized: describeGatewayError('The credentials are missing or invalid', 'Unauthorized'),
  // A function sends the same body as API Gateway, or problem details if Accept requests them.
  Forbidden: describeError(
    'The credentials do not allow this operation',
    forbidden('Forbidden', insufficientScope('users:list')),
  ),
  NotFound: describeError('No user has this id', notFound('User')),
  NotAcceptable: describeError('`Accept` must allow application/json', notAcceptable()),
  Conflict: describeError(
    'Another user has the email address or a unique value, or other requests keep changing the user',
    valueTaken('email'),
  ),
  ConcurrentChanges: describeError('Other requests keep changing the user. Try again', concurrentChanges()),
  PreconditionFailed: describeError(
    'The user has a version that `If-Match`, `If-None-Match` or `If-Unmodified-Since` excludes',
    versionMismatch({ ...exampleUser, version: exampleUser.version + 1 }),
  ),
  UnsupportedMediaType: describeError(
    'The `Content-Type` or `Content-Encoding` of the body is not supported',
    unsupportedMediaType(['application/json']),
    unsupportedEncoding().headers,
  ),
  UnsupportedPatch: describeError(
    'The `Content-Type` or `Content-Encoding` of the patch is not supported',
    unsupportedPatch(['application/json', 'application/merge-patch+json']),
    unsupportedEncoding().headers,
  ),
  IdempotencyKeyReused: describeError('The idempotency key was used with another body', idempotencyKeyReused()),
  TooManyRequests: describeGatewayError('You exceeded the rate limit. Try again later', 'Too Many Requests'),
  InternalServerError: describeError('An unexpected error of the service', new Error()),
  ServiceUnavailable: describeError(
    'The database is busy or unreachable, or an index is being completed. Try again after the seconds in `Retry-After`',
    unavailable(),
  ),
  ...(subjectField ? ownRecordErrors : {}),
};

export function errorResponses({ method, path, body, status, requestHeaders = [], right }: Operation) {
  const isOwn = right === 'self';
  const conflict = isOwn ? 'OwnRecordConflict' : 'Conflict';
  const names: Record<number, keyof typeof errorResponseComponents | false> = {
    400: 'BadRequest',
    401: 'Unauthorized',
    403: isOwn ? 'OwnRecordForbidden' : 'Forbidden',
    404: path !== '' && 'NotFound',
    405: isOwn && method === 'DELETE' && 'DeletionTurnedOff',
    406: status !== 204 && 'NotAcceptable',
    409: method !== 'GET' && (body ? conflict : 'ConcurrentChanges'),
    412: requestHeaders.includes('If-Match') && 'PreconditionFailed',
    415: body !== undefined && (method === 'PATCH' ? 'UnsupportedPatch' : 'UnsupportedMediaType'),
    422: requestHeaders.includes('Idempotency-Key') && 'IdempotencyKeyReused',
    429: isOwn && (method !== 'GET' || path === '/me/data') ? 'TooManyChanges' : 'TooManyRequests',
    500: 'InternalServerError',
    503: 'ServiceUnavailable',
  };
  return Object.fromEntries(
    Object.entries(names).flatMap(([status, name]) => (name ? [[status, ref('responses', name)]] : [])),
  );
}
