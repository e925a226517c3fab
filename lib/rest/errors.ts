import { asServiceError, type ErrorKind } from '../errors.ts';

const STATUS: Record<ErrorKind, number> = {
  invalid: 400,
  'not-found': 404,
  taken: 409,
  stale: 412,
  'key-reused': 422,
  unavailable: 503,
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
  const known = asServiceError(error);
  if (known) {
    const { kind, message, issues } = known;
    return {
      status: STATUS[kind],
      body: { error: message, ...(issues ? { issues } : {}) },
      ...(kind === 'unavailable' ? { headers: { 'retry-after': '1' } } : {}),
    };
  }
  const refusal = MIDDY_ERRORS[(error as { statusCode?: number } | undefined)?.statusCode ?? 0];
  return refusal && { status: refusal.status, body: { error: refusal.error } };
}
