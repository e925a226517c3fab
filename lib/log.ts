import { isUnavailable } from './errors.ts';

/** A caller was asked to come back later: no error of the code, but operators count it. */
export const logUnavailable = (details: Record<string, unknown> = {}) =>
  console.warn({ event: 'unavailable', ...details });

/** Logs a failure that no caller waits for: a throttled or unreachable database is not an internal error. */
export function logFailure(error: unknown, details: Record<string, unknown> = {}): void {
  if (isUnavailable(error)) logUnavailable(details);
  else logError(error, details);
}

/** An internal error, once, with everything that the caller is not shown. Lambda formats it and adds the request's id. */
export function logError(error: unknown, details: Record<string, unknown> = {}): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error({ event: 'internal-error', ...details, error: { name, message, stack } });
}
