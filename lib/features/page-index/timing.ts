/*
 * The page index takes these times for granted, in milliseconds. If one does not hold, verification repairs the
 * counts some minutes later.
 */

/** Once a time is this old, no more writes of that time appear: an attempt (WRITE_ATTEMPT_MS), the GSI's usual lag and differing clocks. */
export const SETTLING_MS = 6_000;

/** Within this time all items of one transaction become visible, and deletes of it in the GSI. */
export const VISIBILITY_MS = 2_000;

/** After this long every eventually consistent read shows what was written: lag of replicas, and differing clocks. */
export const REPLICATION_MS = 10_000;

/** For this long the GSI may go on to show a deleted user. */
export const GSI_LAG_MS = 15_000;

/** Users are verified once more when they are this old, after an unusual lag of the GSI. */
export const VERIFY_AFTER_MS = 180_000;

/** No outage of the indexer may last longer; after that, repair the index. */
export const ADJUSTMENT_RETENTION_MS = 7 * 24 * 3_600_000;
