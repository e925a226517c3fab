import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { LogEnd } from '../lib/features/change-log/order-log.ts';
import { handleStreamBatch } from '../lib/on-change/stream-batch.ts';

/** Each environment remembers where the change log ends. */
const end: LogEnd = { number: 0, at: 0 };

export const handler = (event: DynamoDBStreamEvent) => handleStreamBatch(event, end);
