import {
  type ErrorCode,
  type GroupReason,
  type Issue,
  type MergeReason,
  type PersonReason,
  type Reason,
  type RestoreReason,
  toServiceError,
} from '../errors.ts';
import { ENCODED_BODY, OTHER_CHARSET } from '../negotiation.ts';
import { formatEtag } from './requests.ts';
import type { HeaderValues } from './responses.ts';

const STATUS: Record<ErrorCode, number> = {
  BAD_USER_INPUT: 400,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  IDEMPOTENCY_KEY_REUSED: 422,
  TOO_MANY_REQUESTS: 429,
  SERVICE_UNAVAILABLE: 503,
};

const RETRY_AFTER_SECONDS = 1;

type HttpCode = 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'INTERNAL_SERVER_ERROR';

export const titles: Record<
  Exclude<Reason, RestoreReason | MergeReason | PersonReason | GroupReason | 'TOO_MANY_REQUESTS'> | HttpCode,
  string
> = {
  BAD_USER_INPUT: 'The input is not valid',
  FORBIDDEN: 'The caller may not do this',
  NOT_FOUND: 'No user has this id',
  METHOD_NOT_ALLOWED: 'The path does not support this method',
  NOT_ACCEPTABLE: 'The response has no media type that Accept allows',
  EMAIL_TAKEN: 'Another user has the email address',
  VALUE_TAKEN: 'Another user has the value of a unique field',
  CONCURRENT_CHANGES: 'Other requests keep changing the user',
  PRECONDITION_FAILED: 'The user is at another version',
  UNSUPPORTED_MEDIA_TYPE: 'The media type of the body is not supported',
  IDEMPOTENCY_KEY_REUSED: 'The idempotency key was used with another body',
  INTERNAL_SERVER_ERROR: 'An unexpected error',
  SERVICE_UNAVAILABLE: 'The service cannot answer at the moment',
};

export const personTitles: Record<PersonReason | 'TOO_MANY_REQUESTS', string> = {
  NO_PERSON: 'The token does not belong to a person',
  EMAIL_NOT_VERIFIED: 'The token does not verify this email address',
  SIGN_IN_TOO_OLD: 'The person signed in too long ago',
  SUBJECT_TAKEN: 'The person already has a record',
  SUBJECT_FIXED: 'The subject of a user cannot change',
  SUBJECT_DELETED: 'The record of the person was deleted in the last 24 hours',
  TOO_MANY_LOGINS: 'The record of the person has the most logins it can have',
  BLOCKED: 'The person is blocked',
  TOO_MANY_REQUESTS: 'The person has made too many changes or downloads',
};

const allTitles = { ...titles, ...personTitles };

/** An error of HTTP itself. Other errors for callers are a `ServiceError`. */
class HttpError extends Error {
  readonly status: number;
  readonly code: HttpCode;
  readonly headers: HeaderValues;

  constructor(status: number, code: HttpCode, message: string, headers: HeaderValues = {}) {
    super(message);
    // Stryker disable next-line StringLiteral: only for people who debug
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const methodNotAllowed = (allow: readonly string[]) =>
  new HttpError(405, 'METHOD_NOT_ALLOWED', `The methods of this path are ${allow.join(', ')}`, { allow });
export const notAcceptable = () => new HttpError(406, 'NOT_ACCEPTABLE', 'Accept must allow application/json');
export const unsupportedMediaType = (supported: readonly string[], headers: HeaderValues = {}) =>
  new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', `Content-Type must be ${supported.join(' or ')}`, headers);
/** RFC 9110 section 15.5.16: the header distinguishes this 415 from an unsupported media type. */
export const unsupportedEncoding = () =>
  new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', ENCODED_BODY, { acceptEncoding: ['identity'] });
export const unsupportedCharset = () => new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', OTHER_CHARSET);
/** Sets Accept-Patch (RFC 5789 section 2.2). */
export const unsupportedPatch = (acceptPatch: readonly string[]) => unsupportedMediaType(acceptPatch, { acceptPatch });

export const PROBLEM_TYPE = 'application/problem+json';

/** RFC 9457. `detail` is the message of an ordinary error body. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  issues?: Issue[];
};

export type ErrorResponse = {
  status: number;
  headers: HeaderValues;
  body: { error: string; issues?: Issue[] } | { message: string };
  problem: Problem;
};

const isRestReason = (reason: Reason): reason is Exclude<Reason, RestoreReason | MergeReason | GroupReason> =>
  Object.hasOwn(allTitles, reason);

export function toRestError(error: unknown): ErrorResponse {
  const known = toServiceError(error);
  if (known && isRestReason(known.reason)) {
    const { code, message, issues, current, retryAfterSeconds, challenge } = known;
    const headers = {
      etag: current && formatEtag(current),
      retryAfterSeconds: retryAfterSeconds ?? (code === 'SERVICE_UNAVAILABLE' ? RETRY_AFTER_SECONDS : undefined),
      challenge,
    };
    const response = createErrorResponse(STATUS[code], known.reason, message, { headers, issues });
    // Use the body of the gateway's authorizer, so that clients handle one kind of 403.
    if (known.reason === 'FORBIDDEN') return { ...response, body: { message } };
    return code === 'BAD_USER_INPUT' ? response : { ...response, body: { error: message } };
  }
  if (error instanceof HttpError) return createErrorResponse(error.status, error.code, error.message, error);
  return createErrorResponse(500, 'INTERNAL_SERVER_ERROR', 'Internal server error');
}

function createErrorResponse(
  status: number,
  code: keyof typeof allTitles,
  message: string,
  { headers = {}, issues }: { headers?: HeaderValues; issues?: Issue[] | undefined } = {},
): ErrorResponse {
  const listed = issues ? { issues } : {};
  const type = `urn:user-management:problem:${code.toLowerCase().replaceAll('_', '-')}`;
  return {
    status,
    headers,
    body: { error: message, ...listed },
    problem: { type, title: allTitles[code], status, detail: message, code, ...listed },
  };
}
