/** Environment variables with time limits that no request reaches, even on a busy machine. Tests of time limits set shorter ones. */
export const GENEROUS_TIME_LIMITS = { REQUEST_TIME_LIMIT_MS: '120000', ATTEMPT_TIME_LIMIT_MS: '30000' };
