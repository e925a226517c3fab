import type { DynamoDBRecord } from 'aws-lambda';
import type { Change } from '../database/store.ts';
import { invoke } from '../environment/invocation.ts';
import type { Handlers } from '../handlers.ts';
import { createRandom, hashText } from '../random.ts';
import type { World } from '../world.ts';

const [SHARDS, POLL_EVERY_MS, FUNCTION_TIMEOUT_MS] = [2, 200, 300_000];

/**
 * Delivers the table's stream to `on-change` as Lambda does: the items of a partition key in one shard, a shard in order
 * and one batch at a time, from the first record that failed again, and a batch perhaps twice.
 */
export class StreamConsumer {
  readonly #world: World;
  readonly #onChange: Handlers['on-change'];
  readonly #queues: Change[][] = Array.from({ length: SHARDS }, () => []);
  #read = 0;
  #isClosing = false;

  constructor(world: World, handlers: Handlers) {
    this.#world = world;
    this.#onChange = handlers['on-change'];
  }

  /** Until it is closed and nothing is left. */
  async run(): Promise<void> {
    await Promise.all(this.#queues.map((queue, shard) => this.#consume(queue, shard)));
  }

  close(): void {
    this.#isClosing = true;
  }

  async #consume(queue: Change[], shard: number): Promise<void> {
    for (let batch = 0; ; ) {
      this.#fetch();
      if (queue.length === 0 && this.#isClosing) return;
      if (queue.length > 0) {
        const id = `on-change-${shard}-${++batch}`;
        const random = createRandom(`${this.#world.seed} ${id} batch`);
        const records = queue.slice(0, random.int(1, 8));
        const done = await this.#deliver(id, records);
        const { faults, without, report } = this.#world;
        const isForgotten = random.chance(faults.duplicates) && !without.has(id);
        if (isForgotten) report(id, 'delivered twice');
        else queue.splice(0, done);
      }
      await this.#world.clock.sleep(POLL_EVERY_MS);
    }
  }

  /** What is new in the stream. The event source mapping is filtered for users and posts. */
  #fetch(): void {
    const { changes } = this.#world.database.store;
    for (; this.#read < changes.length; this.#read++) {
      const change = changes[this.#read];
      if (change?.pk.startsWith('USER#')) this.#queues[hashText(change.pk) % SHARDS]?.push(change);
    }
  }

  /** How many of the records are done with. */
  async #deliver(id: string, changes: Change[]): Promise<number> {
    const Records = changes.map(toRecord);
    const { ending } = await invoke(this.#world, id, FUNCTION_TIMEOUT_MS, () => this.#onChange({ Records }));
    if (!('result' in ending)) return 0;
    const failed = ending.result.batchItemFailures[0]?.itemIdentifier;
    return failed === undefined
      ? changes.length
      : Records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed);
  }
}

const EVENTS = { created: 'INSERT', updated: 'MODIFY', deleted: 'REMOVE' } as const;

export const sequenceNumber = ({ position }: Change) => `1${String(position).padStart(20, '0')}`;

/** https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
function toRecord(change: Change): DynamoDBRecord {
  const { pk, sk, at, before, after } = change;
  const record = {
    eventID: sequenceNumber(change),
    eventName: EVENTS[before ? (after ? 'updated' : 'deleted') : 'created'],
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      Keys: { pk: { S: pk }, sk: { S: sk } },
      SequenceNumber: sequenceNumber(change),
      ...(before ? { OldImage: before } : {}),
      ...(after ? { NewImage: after } : {}),
    },
  };
  // Lambda's types name attribute values otherwise than the SDK's; they are the same.
  return structuredClone(record) as unknown as DynamoDBRecord;
}
