/** Timing assumptions, in ms. If one is violated, verification repairs the counts some minutes later. */

/**
 * Afterwards, no write with an older timestamp appears: one attempt (WRITE_ATTEMPT_MS), the GSI's usual lag, clock
 * skew.
 */
export const SETTLING_MS = 6_000;

/** Until then, all items of a transaction become visible, and its deletes reach the GSI. */
export const VISIBILITY_MS = 2_000;

/** Afterwards, every eventually consistent read shows a write: replica lag, clock skew. */
export const REPLICATION_MS = 10_000;

/** The GSI may show a deleted user for this long. */
export const GSI_LAG_MS = 15_000;

/** Users are verified again at this age, in case the GSI lagged unusually. */
export const VERIFY_AFTER_MS = 180_000;

/** Maximum outage of the indexer. After a longer one, repair the index. */
export const ADJUSTMENT_RETENTION_MS = 7 * 24 * 3_600_000;
