import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { Change } from '../database/store.ts';
import { type Handlers, RESTORED_TABLE, TABLE } from '../environment/service.ts';
import { invoke, type World } from '../environment/world.ts';
import { createRandom, hashText } from '../random.ts';
import type { Release } from '../workload/own-fields.ts';

const [POLL_EVERY_MS, FUNCTION_TIMEOUT_MS] = [200, 300_000];
const STREAM_RETENTION_MS = 24 * 3_600_000;

type Consumer = {
  name: 'on-change' | 'publish-events';
  /** Selects changes to deliver. Must match the same changes as FILTERS of infra/construct/stream-consumer.ts. */
  isFor(change: Change): boolean;
  getHandler(handlers: Handlers, release: Release): (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
};

export const changeConsumer: Consumer = {
  name: 'on-change',
  isFor: ({ pk, sk }) => pk.startsWith('USER#') && /^(USER$|PURGE$|RETURN$|POST#)/.test(sk),
  getHandler: (handlers, release) => handlers[release]['on-change'],
};
export const eventConsumer: Consumer = {
  name: 'publish-events',
  isFor: ({ pk, sk, before, after }) =>
    (pk.startsWith('CHANGES#') && !before && after?.kind?.S !== undefined) ||
    (pk.startsWith('GROUP#') && sk === 'GROUP'),
  getHandler: (handlers) => handlers['publish-events'],
};

/**
 * Delivers the table's stream like Lambda. A partition key's items share a shard. Batches arrive in order, again from
 * the first failed record, and sometimes twice.
 */
export class StreamConsumer {
  readonly #world: World;
  readonly #consumer: Consumer;
  readonly #handlers: Handlers;
  /** Another release, which handles batches with this probability. */
  other: { release: Release; rate: number } | undefined;
  readonly #queues: Change[][];
  readonly #delivered: Change[][] = [];
  #read: number;
  #isClosing = false;
  #close = () => {};
  readonly #closed: Promise<void>;

  /** `from`: first position in the stream. */
  constructor(world: World, handlers: Handlers, consumer: Consumer, from = 0) {
    this.#world = world;
    this.#consumer = consumer;
    this.#handlers = handlers;
    this.#read = from;
    this.#queues = Array.from({ length: world.options.shards }, () => []);
    this.#closed = new Promise((resolve) => {
      this.#close = resolve;
    });
  }

  /** Delivers the stream. Ends after `close`, when the whole stream is consumed. */
  async run(): Promise<void> {
    await Promise.all(this.#queues.map((queue, shard) => this.#consume(queue, shard)));
  }

  close(): void {
    this.#isClosing = true;
    this.#close();
  }

  async catchUp(): Promise<void> {
    const { clock, database } = this.#world;
    const end = database.store.changes.length;
    const isWaiting = () =>
      this.#read < end || this.#queues.some((queue) => queue.some(({ position }) => position < end));
    while (isWaiting()) await clock.sleep(POLL_EVERY_MS);
  }

  /** Delivers records again, like an operator's redrive from the dead-letter queue. */
  async redeliver(part: number): Promise<void> {
    const { seed, options, clock, excluded, report } = this.#world;
    for (const [at, batch] of this.#delivered.splice(0).entries()) {
      const id = `${this.#consumer.name}-late-${part}-${at + 1}`;
      const isKept = batch.every((change) => clock.now - change.at < STREAM_RETENTION_MS);
      if (!isKept || excluded.has(id) || !createRandom(`${seed} ${id}`).chance(options.lateDuplicates)) continue;
      report(id, 'delivered twice');
      await this.#deliver(id, batch);
    }
  }

  async #consume(queue: Change[], shard: number): Promise<void> {
    const { seed, clock, database } = this.#world;
    for (let batch = 0; ; ) {
      this.#fetch();
      if (queue.length === 0 && this.#isClosing) return;
      if (queue.length === 0) await Promise.race([database.store.nextCommit(), this.#closed]);
      else {
        const id = `${this.#consumer.name}-${shard}-${++batch}`;
        const random = createRandom(`${seed} ${id} batch`);
        const { options, excluded, report } = this.#world;
        const records = queue.slice(0, random.int(1, options.maxBatchSize));
        const { release = 'current', rate = 0 } = this.other ?? {};
        const isByOther = createRandom(`${seed} ${id} release`).chance(rate);
        const done = await this.#deliver(id, records, isByOther ? release : 'current');
        if (this.#consumer.name === 'on-change') this.#remember(records.slice(0, done));
        const isForgotten = random.chance(options.duplicates) && !excluded.has(id);
        if (isForgotten) report(id, 'delivered twice');
        else this.#delivered.push(queue.splice(0, done));
      }
      await clock.sleep(POLL_EVERY_MS);
    }
  }

  #remember(records: Change[]): void {
    const { consumed, clock } = this.#world;
    for (const { position } of records) if (!consumed.has(position)) consumed.set(position, clock.now);
  }

  #fetch(): void {
    const { changes } = this.#world.database.store;
    for (; this.#read < changes.length; this.#read++) {
      const change = changes[this.#read];
      if (change && this.#consumer.isFor(change)) this.#queues[hashText(change.pk) % this.#queues.length]?.push(change);
    }
  }

  /** Delivers a batch. Returns the number of consumed records. */
  async #deliver(id: string, changes: Change[], release: Release = 'current'): Promise<number> {
    const Records = changes.map((change) => toRecord(change, this.#world));
    const handler = this.#consumer.getHandler(this.#handlers, release);
    const { ending } = await invoke(this.#world, id, FUNCTION_TIMEOUT_MS, () => handler({ Records }));
    if (!('result' in ending)) return 0;
    const failed = ending.result.batchItemFailures[0]?.itemIdentifier;
    return failed === undefined
      ? changes.length
      : Records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
  }
}

const EVENTS = { created: 'INSERT', updated: 'MODIFY', deleted: 'REMOVE' } as const;

const sequenceNumber = ({ position }: Change) => `1${String(position).padStart(20, '0')}`;

/** https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
function toRecord(change: Change, { restoredAt = Number.POSITIVE_INFINITY }: World): DynamoDBRecord {
  const { pk, sk, at, before, after } = change;
  const record = {
    eventID: sequenceNumber(change),
    eventSourceARN: `arn:aws:dynamodb:local:000000000000:table/${change.position < restoredAt ? TABLE : RESTORED_TABLE}/stream/0`,
    eventName: EVENTS[before ? (after ? 'updated' : 'deleted') : 'created'],
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      Keys: { pk: { S: pk }, sk: { S: sk } },
      SequenceNumber: sequenceNumber(change),
      ...(before ? { OldImage: before } : {}),
      ...(after ? { NewImage: after } : {}),
    },
  };
  // The cast is safe: Lambda's and the SDK's types for attribute values differ.
  return structuredClone(record) as unknown as DynamoDBRecord;
}
