import { environment } from '../../../environment.ts';
import { createLimiter } from '../../../parallel.ts';
import { type Holder, StreamMemory } from '../stream-memory.ts';

/** Events that wait for the clients of this process. One has 5 MB at most, as any response. */
const MAX_BYTES = 64_000_000;
/** Above this, operations wait before they are executed: all that may be executed at once fits into the rest. */
const FULL_BYTES = 40_000_000;
/** A client takes the largest event in less time, as fast as streams send. */
const MAX_WAIT_MS = 10_000;

/** An operation that returns 5 MB takes several times as much memory while it is executed. */
const MAX_EXECUTIONS = 4;

/** Stands for the cursor, which differs from stream to stream, in an event that they share. No client can know it. */
export const CURSOR = environment.randomUUID();

/** An event of graphql-sse, cut where the cursor of the stream belongs. */
export type SharedEvent = { parts: Buffer[]; bytes: number };

type Entry = { event: Promise<SharedEvent>; holders: Set<Holder> };

/** Executes an operation once for all streams that deliver the same change to it. */
export class SharedEvents {
  readonly #entries = new Map<string, Entry>();
  readonly #memory: StreamMemory;
  readonly #fullBytes: number;
  readonly #limit = createLimiter(MAX_EXECUTIONS);

  constructor(maxBytes = MAX_BYTES, fullBytes = FULL_BYTES) {
    this.#memory = new StreamMemory(maxBytes);
    this.#fullBytes = fullBytes;
  }

  /** Returns the event with this key, which `execute` makes unless a stream holds it. Call `release` when it is sent. */
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

/** A client that takes nothing holds up one chunk. */
const CHUNK_BYTES = 64 * 1024;

/** Copies an event in chunks, with the cursor of a stream: a slice of the event would keep all of it in memory. */
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
