import { environment } from '../../environment.ts';

const FIRST_PAUSE_SECONDS = 5;
/**
 * Longest pause. The queue's visibility timeout has the same value: SQS delivers again after it if the function has
 * crashed.
 */
export const MAX_PAUSE_SECONDS = 3_600;
/** The pauses between these attempts add up to more than a day. SQS then moves the message to the dead-letter queue. */
export const MAX_ATTEMPTS = 34;

/** Returns the pause after an attempt, in seconds. */
export const choosePause = (attempt: number): number =>
  Math.round(Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)) * (1 + environment.random() / 4));
