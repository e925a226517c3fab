/** That a caller was sent away for now, which is no fault of the code; ops count it. */
export const logUnavailable = (about: Record<string, unknown> = {}) => console.warn({ event: 'unavailable', ...about });

/** A fault of ours, once, with all that the caller is not told. Lambda makes it JSON and adds the request's id. */
export function logError(error: unknown, about: Record<string, unknown> = {}): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error({ event: 'fault', ...about, error: { name, message, stack } });
}
