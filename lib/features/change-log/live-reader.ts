import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { isUnavailable } from '../../errors.ts';
import { logUnavailable } from '../../log.ts';
import { sizes } from '../../sizes.ts';
import type { ChangeEntry } from './entry.ts';
import { type OrderEntry, type Ref, readLogEnd, readOrder } from './order-log.ts';
import { isOfUser, type LogPosition, type ReadChange, readContent } from './read.ts';
import { SlowClient } from './slow-client.ts';
import { StreamMemory } from './stream-memory.ts';
import { allUsers, findTopic, formatPosition, type Topic } from './topics.ts';

const POLL_INTERVAL_MS = 1_000;

/** Changes that wait for the clients of this process, as JSON. */
const MAX_UNDELIVERED_BYTES = 32_000_000;

/**
 * Reads the order log for all streams of a process, once a second, and hands each what concerns it. The streams read in
 * turn: the first that has nothing left to deliver reads for all that wait. Without streams, nobody reads.
 */
export class LiveReader {
  readonly #memory: StreamMemory;
  readonly #streams = new Set<LiveStream>();
  /** The log is read up to here. It is unknown while there are no streams. */
  #position: string | undefined;
  #polling: Promise<void> | undefined;
  readonly #waiting = new Map<LiveStream, PromiseWithResolvers<void>>();
  #idle = new AbortController();

  constructor(maxUndeliveredBytes = MAX_UNDELIVERED_BYTES) {
    this.#memory = new StreamMemory(maxUndeliveredBytes);
  }

  /**
   * Adds a stream until `stop` is aborted. What the order log names from then on is delivered to it, perhaps with some that
   * was named before; all of that is found by a consistent read that begins when the promise is fulfilled.
   */
  async open(topic: Topic, stop: AbortSignal): Promise<LiveStream> {
    const stream: LiveStream = new LiveStream(topic, this.#memory, () => this.#wait(stream));
    this.#streams.add(stream);
    stop.addEventListener('abort', () => this.#close(stream), { once: true });
    if (stop.aborted) this.#close(stream);
    // Streams that begin at the same time all read the end: none waits for the read of another, which may fail.
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

  /**
   * Resolves when the log was read again, or the stream is closed. Each stream waits once a second, so this costs one promise: an
   * AbortSignal for each would be kept until all of the memory is collected.
   */
  #wait(stream: LiveStream): Promise<void> {
    if (!this.#streams.has(stream)) return Promise.resolve();
    this.#polling ??= this.#startPolling();
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(stream, waiting);
    return waiting.promise;
  }

  /** Streams that wait for it get its error. A read that hangs is left to itself. */
  #startPolling(): Promise<void> {
    const ended = new AbortController();
    // An aborted sleep rejects.
    const limit = sleep(POLL_INTERVAL_MS + 2 * environment.requestTimeLimitMs, undefined, {
      signal: ended.signal,
    }).catch(() => undefined);
    const polling = Promise.race([this.#pollAfterPause(), limit]).finally(() => {
      ended.abort();
      if (this.#polling === polling) this.#polling = undefined;
    });
    polling.then(
      () => this.#wake((waiting) => waiting.resolve()),
      (error) => this.#wake((waiting) => waiting.reject(error)),
    );
    return polling;
  }

  #wake(settle: (waiting: PromiseWithResolvers<void>) => void): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const each of waiting) settle(each);
  }

  async #pollAfterPause(): Promise<void> {
    const { signal } = this.#idle;
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await withDeadline(environment.requestTimeLimitMs, () => this.poll());
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Streams go on with the next poll: if all clients connected again at once, the database would have more to do.
      logUnavailable({ stream: 'delayed' });
    }
  }

  /** Reads what is new in the order log, and hands it to the streams. */
  async poll(): Promise<void> {
    let position = this.#position;
    if (position === undefined) return;
    for await (const entries of readOrder(position)) {
      const last = entries.at(-1);
      if (!last) continue;
      // A stream that is opened from now on reads these itself.
      const streams = Map.groupBy(this.#streams, ({ topic }) => topic.name);
      const changes = await readContents(entries, streams);
      // Meanwhile another stream has read on, or the last one was closed.
      if (this.#position !== position) return;
      for (const placed of listRefs(entries)) deliver(streams, placed, changes.get(placed.ref));
      position = this.#position = last.position;
    }
  }
}

/** Changes that a stream takes are no longer counted, so it takes few. */
const TAKEN_AT_ONCE = 10;

type DeliveredChange = ReadChange & { change: ChangeEntry };

/** What was delivered to a stream, and not taken yet. */
export class LiveStream {
  readonly topic: Topic;
  readonly #memory: StreamMemory;
  readonly #wait: () => Promise<void>;
  #changes: DeliveredChange[] = [];
  #isSlow = false;

  constructor(topic: Topic, memory: StreamMemory, wait: () => Promise<void>) {
    this.topic = topic;
    this.#memory = memory;
    this.#wait = wait;
  }

  deliver(delivered: DeliveredChange, bytes: number): void {
    if (this.#isSlow) return;
    if (this.#changes.length < sizes.undeliveredChanges) {
      this.#changes.push(delivered);
      this.#memory.hold(delivered.change, bytes, this);
    } else this.end();
  }

  /** The client falls behind. It resumes from the log, so nothing is kept for it. */
  end(): void {
    this.#isSlow = true;
    this.clear();
  }

  clear(): void {
    for (const { change } of this.#changes) this.#memory.release(change, this);
    this.#changes = [];
  }

  /** Returns changes that have been delivered, if none, once the log was read again. Throws SlowClient. */
  async take(): Promise<ReadChange[]> {
    if (this.#changes.length === 0) await this.#wait();
    if (this.#isSlow) throw new SlowClient('The client does not take changes as fast as they come');
    const taken = this.#changes.splice(0, TAKEN_AT_ONCE);
    for (const { change } of taken) this.#memory.release(change, this);
    return taken;
  }
}

type Streams = Map<string, LiveStream[]>;
type Placed = { ref: Ref; position: LogPosition };

/** Each change of the order log, with the position after it. */
function* listRefs(entries: OrderEntry[]): Generator<Placed> {
  for (const { number, position, refs } of entries)
    for (const [index, ref] of refs.entries())
      yield {
        ref,
        position:
          index === refs.length - 1
            ? { watermark: position, offset: 0 }
            : { watermark: formatPosition(number - 1), offset: index + 1 },
      };
}

const findStreams = (streams: Streams, ref: Ref) => ({
  own: streams.get(findTopic(ref.id).name) ?? [],
  all: isOfUser(ref) ? (streams.get(allUsers.name) ?? []) : [],
});

/** Reads the changes that a stream follows, each once. */
async function readContents(entries: OrderEntry[], streams: Streams): Promise<Map<Ref, ChangeEntry | undefined>> {
  const wanted = entries
    .flatMap(({ refs }) => refs)
    .filter((ref) => {
      const { own, all } = findStreams(streams, ref);
      return own.length > 0 || all.length > 0;
    });
  const contents = await readContent(wanted);
  return new Map(wanted.map((ref, index) => [ref, contents[index]]));
}

function deliver(streams: Streams, { ref, position }: Placed, change: ChangeEntry | undefined): void {
  if (!change) return;
  const { own, all } = findStreams(streams, ref);
  const bytes = JSON.stringify(change).length;
  const ofUser = { change, position: { watermark: ref.sequence, offset: 0 } };
  for (const stream of own) stream.deliver(ofUser, bytes);
  const ofAll = { change, position };
  for (const stream of all) stream.deliver(ofAll, bytes);
}
