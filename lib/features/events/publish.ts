import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { retryOnConflict, withDeadline } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { isUnavailable } from '../../errors.ts';
import { logError } from '../../log.ts';
import { type StreamEvent, sendDeadLetters } from '../../on-change/dead-letters.ts';
import { parseRecord, toBatchResponse } from '../../on-change/stream-record.ts';
import { parseChangeEntry, parseTopic } from '../change-log/entry.ts';
import { createGroupEvent, findGroupTopic } from '../groups/event.ts';
import { type CloudEvent, createCloudEvent } from './cloud-event.ts';

/**
 * Returns an error per event, or undefined if it was accepted. SERVICE_UNAVAILABLE: a retry may succeed, but an
 * operator must first fix its `cause`, if any.
 */
export type Send = (events: CloudEvent[]) => Promise<(Error | undefined)[]>;

export type Publisher = {
  send: Send;
  /** Ids of events that were accepted although the batch failed in part. The next delivery of the batch skips them. */
  accepted: ReadonlySet<string>;
};

/**
 * Retries while receivers are throttled or unreachable. Permanently rejected events go to the dead-letter queue. The
 * stream delivers again from the first record that was not accepted.
 */
export async function publishBatch(event: StreamEvent, publisher: Publisher): Promise<DynamoDBBatchResponse> {
  const pending = new PendingEvents(event.Records, publisher.accepted);
  const attempt = async () => {
    const again = await publishPending(pending, publisher.send);
    const sent = await sendDeadLetters(pending.blocked, event);
    pending.drop(sent);
    return sent.length > 0 ? 'retry' : again;
  };
  try {
    await withDeadline(environment.batchTimeLimitMs, () => retryOnConflict(attempt));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (pending.denial) logError(pending.denial, { records: pending.remaining.length });
    else console.warn({ event: 'events-delayed', records: pending.remaining.length });
  }
  return endBatch(pending, publisher);
}

export async function tryToPublishBatch(
  { Records }: DynamoDBStreamEvent,
  publisher: Publisher,
): Promise<DynamoDBBatchResponse> {
  const pending = new PendingEvents(Records, publisher.accepted);
  await publishPending(pending, publisher.send);
  return endBatch(pending, publisher);
}

async function publishPending(pending: PendingEvents, send: Send): Promise<'retry' | undefined> {
  for (let next = pending.takeNext(); next.length > 0; next = pending.takeNext()) {
    const errors = await send(next.map(({ event }) => event));
    for (const [at, delivery] of next.entries()) pending.settle(delivery, errors[at]);
    if (errors.some(isUnavailable)) return 'retry';
  }
  return undefined;
}

function endBatch({ remaining, accepted }: PendingEvents, publisher: Publisher): DynamoDBBatchResponse {
  publisher.accepted = remaining.length > 0 ? accepted : new Set();
  return toBatchResponse(remaining);
}

type Delivery = { record: DynamoDBRecord; topic: string; event: CloudEvent };
type Waiting = Omit<Delivery, 'event'>;

/** Events of a batch, in order per log. A blocked event delays only its own log, and later batches. */
class PendingEvents {
  readonly #queues: Map<string, Waiting[]>;
  readonly accepted = new Set<string>();
  /** Why the receiver accepts no events until an operator acts. */
  denial: unknown;
  readonly #blocked = new Map<string, DynamoDBRecord>();
  readonly #records: DynamoDBRecord[];
  readonly #acceptedBefore: ReadonlySet<string>;

  constructor(records: DynamoDBRecord[], acceptedBefore: ReadonlySet<string>) {
    this.#records = records;
    this.#acceptedBefore = acceptedBefore;
    const waiting = records.flatMap((record) => {
      const topic = findTopic(record);
      return topic ? [{ record, topic }] : [];
    });
    this.#queues = Map.groupBy(waiting, ({ topic }) => topic);
  }

  /** Returns the oldest event of each log, to keep the order. */
  takeNext(): Delivery[] {
    return [...this.#queues.keys()].flatMap((topic) => {
      const next = this.#blocked.has(topic) ? undefined : this.#findNext(topic);
      return next ? [next] : [];
    });
  }

  #findNext(topic: string): Delivery | undefined {
    const queue = this.#queues.get(topic) ?? [];
    for (let [first] = queue; first; [first] = queue)
      try {
        const event = createEvent(first.record);
        if (event && !this.#acceptedBefore.has(event.id)) return { ...first, event };
        if (event) this.accepted.add(event.id);
        queue.shift();
      } catch (error) {
        this.#block(first, error);
        return undefined;
      }
    return undefined;
  }

  settle({ event, ...delivery }: Delivery, error?: Error): void {
    if (!error) {
      this.accepted.add(event.id);
      this.#queues.get(delivery.topic)?.shift();
    } else if (!isUnavailable(error)) this.#block(delivery, error);
    // Keep the earlier cause: the deadline may have ended the last attempt before its answer.
    this.denial = error ? (error.cause ?? this.denial) : undefined;
  }

  #block({ topic, record }: Waiting, error: unknown): void {
    logError(error, { eventId: record.eventID });
    this.#blocked.set(topic, record);
  }

  get blocked(): DynamoDBRecord[] {
    return [...this.#blocked.values()];
  }

  drop(records: DynamoDBRecord[]): void {
    for (const [topic, record] of this.#blocked)
      if (records.includes(record)) {
        this.#blocked.delete(topic);
        this.#queues.get(topic)?.shift();
      }
  }

  get remaining(): DynamoDBRecord[] {
    const left = new Set([...this.#queues.values()].flat().map(({ record }) => record));
    return this.#records.filter((record) => left.has(record));
  }
}

/** Undefined if receivers see no change. */
function createEvent(source: DynamoDBRecord): CloudEvent | undefined {
  const record = parseRecord(source);
  const { pk, sk } = record.key;
  return findGroupTopic(pk, sk) ? createGroupEvent(record) : createCloudEvent(parseChangeEntry(record.after ?? {}));
}

/**
 * Finds the log of a new entry, or the group of a written item. Undefined for other items, and for entries that expire
 * or are erased.
 */
function findTopic({ eventName, dynamodb }: DynamoDBRecord): string | undefined {
  const [pk, sk] = [dynamodb?.Keys?.pk?.S, dynamodb?.Keys?.sk?.S];
  const group = findGroupTopic(pk, sk);
  if (group) return group;
  return eventName === 'INSERT' && pk ? parseTopic(pk) : undefined;
}
