import { environment } from '../../../environment.ts';
import { createLimiter } from '../../../parallel.ts';
import { type Holder, StreamMemory } from '../stream-memory.ts';

/** Maximum size of all events that wait for clients. One event has at most 5 MB, like any response. */
const MAX_BYTES = 64_000_000;
/** New executions wait above this. The rest up to MAX_BYTES is for running executions. */
const FULL_BYTES = 40_000_000;
/** Maximum wait for memory. Even the largest event reaches a client of full speed in less time. */
const MAX_WAIT_MS = 10_000;

/** Maximum parallel executions. An execution needs several times the memory of its result. */
const MAX_EXECUTIONS = 4;

/** Placeholder for the cursor, which differs per stream. Random, so that no client can send it. */
export const CURSOR = environment.randomUUID();

/** Each stream inserts its cursor between the parts. */
type SharedEvent = { parts: Buffer[]; bytes: number };

type Entry = { event: Promise<SharedEvent>; holders: Set<Holder> };

export class SharedEvents {
  readonly #entries = new Map<string, Entry>();
  readonly #memory: StreamMemory;
  readonly #fullBytes: number;
  readonly #limit = createLimiter(MAX_EXECUTIONS);

  constructor(maxBytes = MAX_BYTES, fullBytes = FULL_BYTES) {
    this.#memory = new StreamMemory(maxBytes);
    this.#fullBytes = fullBytes;
  }

  /** Call `release` after sending the event. */
  async acquire(key: string, holder: Holder, execute: () => Promise<object>): Promise<SharedEvent> {
    const entry = this.#entries.get(key) ?? {
      event: this.#limit(async () => {
        await this.#memory.waitForRoom(this.#fullBytes, MAX_WAIT_MS);
        return encodeEvent(await execute());
      }),
      holders: new Set(),
    };
    this.#entries.set(key, entry);
    entry.holders.add(holder);
    try {
      const event = await entry.event;
      this.#memory.hold(event, event.bytes, holder);
      return event;
    } catch (error) {
      this.#forget(key, entry, holder);
      throw error;
    }
  }

  release(key: string, event: SharedEvent, holder: Holder): void {
    this.#memory.release(event, holder);
    const entry = this.#entries.get(key);
    if (entry) this.#forget(key, entry, holder);
  }

  #forget(key: string, entry: Entry, holder: Holder): void {
    entry.holders.delete(holder);
    if (entry.holders.size === 0) this.#entries.delete(key);
  }
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
