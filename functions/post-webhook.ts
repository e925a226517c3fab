import type { SQSEvent } from 'aws-lambda';
import { postBatch } from '../lib/features/events/webhook-queue.ts';

export const handler = (event: SQSEvent) => postBatch(event);
