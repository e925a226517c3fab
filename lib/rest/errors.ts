import { type ErrorCode, toServiceError } from '../errors.ts';
import type { HeaderValues } from './responses.ts';

const STATUS: Record<ErrorCode, number> = {
  BAD_USER_INPUT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  IDEMPOTENCY_KEY_REUSED: 422,
  SERVICE_UNAVAILABLE: 503,
};

const RETRY_AFTER_SECONDS = 1;

/** An error of HTTP itself. All others that a caller sees are a `ServiceError`, in every API. */
class HttpError extends Error {
  readonly status: number;
  readonly headers: HeaderValues;

  constructor(status: number, message: string, headers: HeaderValues = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

export const methodNotAllowed = (allow: readonly string[]) =>
  new HttpError(405, `The methods of this path are ${allow.join(', ')}`, { allow });
export const notAcceptable = () => new HttpError(406, 'Accept must allow application/json');
export const unsupportedMediaType = (supported: readonly string[]) =>
  new HttpError(415, `Content-Type must be ${supported.join(' or ')}`);
/** RFC 5789 section 2.2 */
export const unsupportedPatch = (acceptPatch: readonly string[]) =>
  new HttpError(415, unsupportedMediaType(acceptPatch).message, { acceptPatch });

export type ErrorResponse = { status: number; body: { error: string; issues?: unknown }; headers?: HeaderValues };

/** The response to anything thrown, the same in every response format. Internal errors are masked. */
export function toRestError(error: unknown): ErrorResponse {
  const known = toServiceError(error);
  if (known) {
    const { code, message, issues } = known;
    const headers = code === 'SERVICE_UNAVAILABLE' ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {};
    return { status: STATUS[code], body: { error: message, ...(issues ? { issues } : {}) }, headers };
  }
  if (error instanceof HttpError)
    return { status: error.status, body: { error: error.message }, headers: error.headers };
  return { status: 500, body: { error: 'Internal server error' } };
}
