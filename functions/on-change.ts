import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { LogHead } from '../lib/change-log/append.ts';
import { handleStreamBatch } from '../lib/on-change/stream-batch.ts';

/** Each environment remembers where the log ends. */
const head: LogHead = { number: 0 };

export const handler = (event: DynamoDBStreamEvent) => handleStreamBatch(event, head);
