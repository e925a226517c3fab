import { toServiceError, type ErrorCode } from '../errors.ts';

const STATUS: Record<ErrorCode, number> = {
  BAD_USER_INPUT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  IDEMPOTENCY_KEY_REUSED: 422,
  SERVICE_UNAVAILABLE: 503,
};

/**
 * What middy's middlewares refuse with, in our words. Their 422 is for a body
 * that is no JSON, or that would set a prototype: 400 in the contract.
 */
const MIDDY_ERRORS: Record<number, { status: number; error: string }> = {
  406: { status: 406, error: 'This is served as application/json only' },
  415: { status: 415, error: 'The body has to be application/json' },
  422: { status: 400, error: 'The body is not valid JSON, or has a member __proto__' },
};

export type Failure = { status: number; body: { error: string; issues?: unknown }; headers?: Record<string, string> };

/** The answer to anything thrown, the same in every shape; undefined for a fault of ours. */
export function toErrorResponse(error: unknown): Failure | undefined {
  const known = toServiceError(error);
  if (known) {
    const { code, message, issues } = known;
    return {
      status: STATUS[code],
      body: { error: message, ...(issues ? { issues } : {}) },
      ...(code === 'SERVICE_UNAVAILABLE' ? { headers: { 'retry-after': '1' } } : {}),
    };
  }
  const refusal = MIDDY_ERRORS[(error as { statusCode?: number } | undefined)?.statusCode ?? 0];
  return refusal && { status: refusal.status, body: { error: refusal.error } };
}
