import { environment } from '../../environment.ts';

const FIRST_PAUSE_SECONDS = 5;
/** Also the queue's visibility timeout, after which SQS delivers again if the function has crashed. */
export const MAX_PAUSE_SECONDS = 3_600;
/** The pauses add up to more than a day. SQS then moves the message to the dead-letter queue. */
export const MAX_ATTEMPTS = 34;

/** In seconds. */
export const choosePause = (attempt: number): number =>
  Math.round(Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)) * (1 + environment.random() / 4));
