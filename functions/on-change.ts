import type { DynamoDBStreamEvent } from 'aws-lambda';
import { createReactions } from '../lib/on-change/reactions.ts';
import { handleStreamBatch } from '../lib/on-change/stream-batch.ts';

const reactions = createReactions();

export const handler = (event: DynamoDBStreamEvent) => handleStreamBatch(event, reactions);
