import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { isUnavailable, SlowClient } from '../../errors.ts';
import { logUnavailable } from '../../log.ts';
import { sizes } from '../../sizes.ts';
import type { ChangeEntry } from './entry.ts';
import { type Ref, readLogEnd, readOrder } from './order-log.ts';
import { isUserRef, type LogPosition, listRefs, type ReadChange, readContents } from './read.ts';
import { StreamMemory } from './stream-memory.ts';
import { allUsers, findTopic, formatPosition, type Topic } from './topics.ts';

/** Polls the order log once a second for all streams of a process. */
export class LiveReader {
  readonly memory: StreamMemory;
  readonly #streams = new Set<LiveStream>();
  /** All streams have received the changes up to here. Undefined if no stream is open. */
  #position: string | undefined;
  readonly #waiting = new Map<LiveStream, PromiseWithResolvers<void>>();
  #isReading = false;
  #idle = new AbortController();

  constructor(memory = new StreamMemory()) {
    this.memory = memory;
  }

  /**
   * Adds a stream until `stop` is aborted. The stream receives all changes that the order log names from then on, and
   * possibly earlier ones. Once the promise resolves, a consistent read finds all earlier changes.
   */
  async open(topic: Topic, stop: AbortSignal): Promise<LiveStream> {
    const stream = new LiveStream(topic, this);
    this.#streams.add(stream);
    stop.addEventListener('abort', () => this.#close(stream), { once: true });
    if (stop.aborted) this.#close(stream);
    // If several streams open in parallel, each reads the end, so that a failed read affects only one stream.
    if (this.#position === undefined) {
      const { number } = await readLogEnd();
      if (this.#streams.has(stream)) this.#position ??= formatPosition(number);
    }
    return stream;
  }

  #close(stream: LiveStream): void {
    this.#streams.delete(stream);
    stream.clear();
    this.#waiting.get(stream)?.resolve();
    this.#waiting.delete(stream);
    if (this.#streams.size > 0) return;
    this.#position = undefined;
    this.#idle.abort();
    this.#idle = new AbortController();
  }

  /** Resolves after the next poll, or when the stream closes. An AbortSignal per wait would free its memory late. */
  waitForRead(stream: LiveStream): Promise<void> {
    if (!this.#streams.has(stream)) return Promise.resolve();
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(stream, waiting);
    if (!this.#isReading) void this.#readForWaiting();
    return waiting.promise;
  }

  async #readForWaiting(): Promise<void> {
    this.#isReading = true;
    const failure = await this.#readInTime();
    this.#isReading = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { resolve, reject } of waiting)
      if (failure) reject(failure.error);
      else resolve();
  }

  /** Reads with a time limit, because a hanging read must not block the other streams. */
  async #readInTime(): Promise<{ error: unknown } | undefined> {
    const limit = new AbortController();
    const timeout = sleep(environment.pollIntervalMs + 2 * environment.requestTimeLimitMs, undefined, {
      signal: limit.signal,
    });
    try {
      await Promise.race([this.#readAfterPause(), timeout.catch(() => undefined)]);
      return undefined;
    } catch (error) {
      return { error };
    } finally {
      limit.abort();
    }
  }

  async #readAfterPause(): Promise<void> {
    const { signal } = this.#idle;
    await sleep(environment.pollIntervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await withDeadline(environment.requestTimeLimitMs, () => this.poll());
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Keep the streams open: if all clients reconnected, the load on the database would increase.
      logUnavailable({ stream: 'delayed' });
    }
  }

  async poll(): Promise<void> {
    let position = this.#position;
    if (position === undefined) return;
    for await (const entries of readOrder(position)) {
      const last = entries.at(-1);
      if (!last) continue;
      // Streams opened after this line read these entries themselves.
      const streams = Map.groupBy(this.#streams, ({ topic }) => topic.name);
      const named = entries
        .flatMap(listRefs)
        .filter(({ ref }) => listTopics(ref).some(({ name }) => streams.has(name)));
      const contents = await readContents(named.map(({ ref }) => ref));
      // Another stream has advanced the position, or the last stream has closed.
      if (this.#position !== position) return;
      for (const { ref, position: inOrderLog } of named) {
        const change = contents.get(ref);
        if (!change) continue;
        const bytes = Buffer.byteLength(JSON.stringify(change));
        for (const topic of listTopics(ref)) {
          const delivered = {
            change,
            position: topic.isOrderLog ? inOrderLog : { watermark: ref.sequence, offset: 0 },
          };
          // A stream that has closed during the read would hold the change for ever.
          for (const stream of streams.get(topic.name) ?? [])
            if (this.#streams.has(stream)) stream.deliver(delivered, bytes);
        }
      }
      position = this.#position = last.position;
    }
  }
}

const listTopics = (ref: Ref): Topic[] => (isUserRef(ref) ? [findTopic(ref.id), allUsers] : [findTopic(ref.id)]);

const TAKEN_AT_ONCE = 10;

type DeliveredChange = { change: ChangeEntry; position: LogPosition };

export class LiveStream {
  readonly topic: Topic;
  readonly #reader: LiveReader;
  #changes: DeliveredChange[] = [];
  #isSlow = false;

  constructor(topic: Topic, reader: LiveReader) {
    this.topic = topic;
    this.#reader = reader;
  }

  deliver(delivered: DeliveredChange, bytes: number): void {
    if (this.#isSlow) return;
    if (this.#changes.length < sizes.undeliveredChanges) {
      this.#changes.push(delivered);
      this.#reader.memory.hold(delivered.change, bytes, this);
    } else this.end();
  }

  /** Ends the stream of a slow client, which reconnects and resumes from the log. */
  end(): void {
    this.#isSlow = true;
    this.clear();
  }

  clear(): void {
    for (const { change } of this.#changes) this.#reader.memory.release(change, this);
    this.#changes = [];
  }

  async take(): Promise<ReadChange[]> {
    if (this.#changes.length === 0) await this.#reader.waitForRead(this);
    if (this.#isSlow) throw new SlowClient('The client reads changes too slowly');
    const taken = this.#changes.splice(0, TAKEN_AT_ONCE);
    for (const { change } of taken) this.#reader.memory.release(change, this);
    return taken;
  }
}
