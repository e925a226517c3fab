import { putEvents } from '../lib/features/events/event-bus.ts';
import { type Publisher, publishBatch } from '../lib/features/events/publish.ts';
import type { StreamEvent } from '../lib/on-change/dead-letters.ts';

const publisher: Publisher = { send: putEvents, accepted: new Set() };

export const handler = (event: StreamEvent) => publishBatch(event, publisher);
