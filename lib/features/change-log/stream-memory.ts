import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../environment.ts';

const WAIT_MS = 50;

export type Holder = { end(): void };

type Held = { bytes: number; holders: Set<Holder> };

/** Limits the size of undelivered objects. An object that several streams hold counts once. */
export class StreamMemory {
  readonly #maxBytes: number;
  readonly #objects = new Map<object, Held>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Above the limit, ends the slowest streams: they hold the oldest objects. */
  hold(object: object, bytes: number, holder: Holder): void {
    const held = this.#objects.get(object) ?? { bytes, holders: new Set() };
    held.holders.add(holder);
    if (!this.#objects.has(object)) {
      this.#objects.set(object, held);
      this.#bytes += bytes;
    }
    this.#endSlowest(this.#maxBytes);
  }

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
