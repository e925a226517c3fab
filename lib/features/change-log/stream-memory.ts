import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../environment.ts';

/**
 * Maximum bytes of all changes (as JSON) and events that wait for clients of a process. One event has at most 5 MB, like
 * any response.
 */
const MAX_BYTES = 96_000_000;
/** New executions wait above this share. The rest is for running executions. */
const FULL_SHARE = 0.75;
/** Maximum wait for room. Even the largest event reaches a client of full speed in less time. */
const MAX_WAIT_MS = 10_000;
const WAIT_MS = 50;

export type Holder = { end(): void };

/** Counts an object that several streams hold once. */
export class StreamMemory {
  readonly #maxBytes: number;
  readonly #objects = new Map<object, { bytes: number; holders: Set<Holder> }>();
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  hold(object: object, bytes: number, holder: Holder): void {
    const held = this.#objects.get(object);
    if (held) held.holders.add(holder);
    else {
      this.#objects.set(object, { bytes, holders: new Set([holder]) });
      this.#bytes += bytes;
    }
    this.#endSlowest(this.#maxBytes);
  }

  isHeld(object: object): boolean {
    return this.#objects.has(object);
  }

  async waitForRoom(): Promise<void> {
    const fullBytes = FULL_SHARE * this.#maxBytes;
    const start = environment.elapsed();
    while (this.#bytes > fullBytes) {
      if (environment.elapsed() - start > MAX_WAIT_MS) return this.#endSlowest(fullBytes);
      await sleep(WAIT_MS);
    }
  }

  /** Ends the streams with the oldest objects. */
  #endSlowest(maxBytes: number): void {
    for (const [oldest, { holders }] of this.#objects) {
      if (this.#bytes <= maxBytes) return;
      for (const slow of holders) {
        slow.end();
        this.release(oldest, slow);
      }
    }
  }

  release(object: object, holder: Holder): void {
    const held = this.#objects.get(object);
    if (!held?.holders.delete(holder) || held.holders.size > 0) return;
    this.#objects.delete(object);
    this.#bytes -= held.bytes;
  }
}
