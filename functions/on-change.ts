import type { StreamEvent } from '../lib/on-change/dead-letters.ts';
import { createReactions } from '../lib/on-change/reactions.ts';
import { handleStreamBatch } from '../lib/on-change/stream-batch.ts';

const reactions = createReactions();

export const handler = (event: StreamEvent) => handleStreamBatch(event, reactions);
