/**
 * Assumptions of the page index, in ms. If one is violated, counts are wrong until verification repairs them minutes
 * later.
 */

/**
 * After this time, no write with an older timestamp appears. Covers one attempt (WRITE_ATTEMPT_MS), the GSI's usual lag
 * and clock skew.
 */
export const SETTLING_MS = 6_000;

/** Within this time, all items of a transaction become visible, and its deletes reach the GSI. */
export const VISIBILITY_MS = 2_000;

/** Every eventually consistent read shows a write after this time. Covers replica lag and clock skew. */
export const REPLICATION_MS = 10_000;

/** The GSI may show a deleted user for this long. */
export const GSI_LAG_MS = 15_000;

/** Users are verified again at this age, in case the GSI lagged unusually. */
export const VERIFY_AFTER_MS = 180_000;

/** Adjustments expire after this time. After a longer outage of the indexer, an operator must repair the index. */
export const ADJUSTMENT_RETENTION_MS = 7 * 24 * 3_600_000;
