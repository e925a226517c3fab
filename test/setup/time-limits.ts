/** Time limits that are enough for a busy machine. */
export const GENEROUS_TIME_LIMITS = { REQUEST_TIME_LIMIT_MS: '120000', ATTEMPT_TIME_LIMIT_MS: '30000' };
