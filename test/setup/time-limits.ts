/** The environment in which a busy machine makes no request run out of time; tests of time limits set their own. */
export const GENEROUS_TIME_LIMITS = { REQUEST_TIME_LIMIT_MS: '120000', ATTEMPT_TIME_LIMIT_MS: '30000' };
