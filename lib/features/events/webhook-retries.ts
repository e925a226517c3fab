import { environment } from '../../environment.ts';

const FIRST_PAUSE_SECONDS = 5;
/** Also the visibility timeout of the queue: after a crash, SQS delivers the batch again by itself. */
export const MAX_PAUSE_SECONDS = 3_600;
/** The pauses between these attempts add up to more than a day. SQS then moves the message to the dead-letter queue. */
export const MAX_ATTEMPTS = 34;

/** Returns the seconds until the next attempt. The pause doubles with each attempt. Jitter spreads the retries of many messages. */
export const choosePause = (attempt: number): number =>
  Math.round(Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)) * (1 + environment.random() / 4));
