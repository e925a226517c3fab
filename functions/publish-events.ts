import type { DynamoDBStreamEvent } from 'aws-lambda';
import { putEvents } from '../lib/features/events/event-bus.ts';
import { type Publisher, publishBatch } from '../lib/features/events/publish.ts';

const publisher: Publisher = { send: putEvents, accepted: new Set() };

export const handler = (event: DynamoDBStreamEvent) => publishBatch(event, publisher);
