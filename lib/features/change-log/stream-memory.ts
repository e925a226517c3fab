import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../environment.ts';

const WAIT_MS = 50;

/** Holds objects for the client of a stream. `end` ends the stream. */
export type Holder = { end(): void };

type Held = { bytes: number; holders: Set<Holder> };

/** Bounds what all streams of a process hold for their clients. An object that many streams share counts once. */
export class StreamMemory {
  readonly #maxBytes: number;
  /** The oldest first. */
  readonly #objects = new Map<object, Held>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Ends the slowest streams, those that hold the oldest objects, while all objects take too much memory. */
  hold(object: object, bytes: number, holder: Holder): void {
    const held = this.#objects.get(object) ?? { bytes, holders: new Set() };
    held.holders.add(holder);
    if (!this.#objects.has(object)) {
      this.#objects.set(object, held);
      this.#bytes += bytes;
    }
    this.#endSlowest(this.#maxBytes);
  }

  /** Waits until all objects take at most so many bytes. If that takes longer than `ms`, the slowest streams end. */
  async waitForRoom(bytes: number, ms: number): Promise<void> {
    const start = environment.elapsed();
    while (this.#bytes > bytes) {
      if (environment.elapsed() - start > ms) return this.#endSlowest(bytes);
      await sleep(WAIT_MS);
    }
  }

  #endSlowest(bytes: number): void {
    for (const [oldest, { holders }] of this.#objects) {
      if (this.#bytes <= bytes) return;
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
