import { environment } from '../../../environment.ts';
import { createLimiter } from '../../../parallel.ts';
import type { Holder } from '../stream-memory.ts';
import { live } from '../subscribe.ts';

/** Maximum parallel executions. An execution needs several times the memory of its result. */
const MAX_EXECUTIONS = 4;

/** Placeholder for the cursor, which differs per stream. Random, so that no client can send it. */
export const CURSOR = environment.randomUUID();

/** Each stream inserts its cursor between the parts. */
type SharedEvent = { parts: Buffer[]; bytes: number };

const limit = createLimiter(MAX_EXECUTIONS);

const events = new Map<string, Promise<SharedEvent>>();

/** Executes once for all streams. Call `releaseEvent` after sending the event. */
export async function acquireEvent(key: string, holder: Holder, execute: () => Promise<object>): Promise<SharedEvent> {
  const { memory } = live.reader;
  const executed =
    events.get(key) ??
    limit(async () => {
      await memory.waitForRoom();
      return encodeEvent(await execute());
    });
  events.set(key, executed);
  try {
    const event = await executed;
    memory.hold(event, event.bytes, holder);
    return event;
  } catch (error) {
    events.delete(key);
    throw error;
  }
}

export function releaseEvent(key: string, event: SharedEvent, holder: Holder): void {
  const { memory } = live.reader;
  memory.release(event, holder);
  if (!memory.isHeld(event)) events.delete(key);
}

function encodeEvent(result: object): SharedEvent {
  const text = `event: next\ndata: ${JSON.stringify(result)}\n\n`;
  const parts = text.split(CURSOR).map((part) => Buffer.from(part));
  return { parts, bytes: parts.reduce((sum, part) => sum + part.length, 0) };
}

const CHUNK_BYTES = 64 * 1024;

/** Inserts the cursor. Copies the parts, because slices would keep the whole event in memory. */
export function* copyEvent({ parts, bytes }: SharedEvent, cursor: string): Generator<Buffer> {
  const cursorBytes = Buffer.from(cursor);
  let left = bytes + (parts.length - 1) * cursorBytes.length;
  let chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left));
  let filled = 0;
  for (const [index, part] of parts.entries())
    for (const source of index === 0 ? [part] : [cursorBytes, part])
      for (let from = 0; from < source.length; ) {
        const copied = source.copy(chunk, filled, from);
        [from, filled] = [from + copied, filled + copied];
        if (filled < chunk.length) continue;
        yield chunk;
        left -= filled;
        [chunk, filled] = [Buffer.alloc(Math.min(CHUNK_BYTES, left)), 0];
      }
}
