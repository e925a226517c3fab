import type { DynamoDBRecord } from 'aws-lambda';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { readChangesPage } from '../../../../lib/features/change-log/changes.ts';
import {
  type Cursor,
  createCursorAtEnd,
  decodeLogCursor,
  encodeLogCursor,
} from '../../../../lib/features/change-log/cursor.ts';
import { readChanges } from '../../../../lib/features/change-log/read.ts';
import { allUsers, formatPosition, MIN_POSITION, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { createReactions } from '../../../../lib/on-change/reactions.ts';
import { handleRecords } from '../../../../lib/on-change/stream-batch.ts';
import { ClientFaults, type WriteFault } from './client-faults.ts';

export type Step =
  | { do: 'change'; users: number[]; skewMs: number }
  | { do: 'deliver'; shard: number; size: number; fault: WriteFault; after: number }
  | { do: 'arrive' }
  | { do: 'poll'; reader: number; hidden: number[] }
  | { do: 'page'; limit: number; hidden: number[] }
  | { do: 'reconnect'; reader: number; back: number };

type Reader = { cursor: Cursor; events: { id: string; name: unknown; cursor: Cursor }[] };

let sequence = 0;
const now = Date.now();

/** Simulates two stream shards with two users each, two subscribers to all users, and a consumer that reads pages. */
export class ChangeLogModel implements Disposable {
  readonly #reactions = createReactions();
  readonly #faults = new ClientFaults();
  readonly #ids = Array.from({ length: 4 }, () => crypto.randomUUID());
  readonly #made: Record<string, number[]> = Object.fromEntries(this.#ids.map((id) => [id, []]));
  readonly #shards: DynamoDBRecord[][] = [[], []];
  readonly #readers: Reader[] = [];
  /** The consumer, which stores the cursor after each page. */
  #pager: Reader | undefined;

  /** Numbers of the made changes by user. */
  get expected() {
    return this.#made;
  }

  get received() {
    const readers = this.#pager ? [...this.#readers, this.#pager] : this.#readers;
    return readers.map(({ events }) => groupByUser(this.#ids, events));
  }

  /** Starts at the end of the log, which still contains changes of earlier runs. */
  async start(): Promise<void> {
    const cursor = await createCursorAtEnd(allUsers);
    for (let index = 0; index < 2; index++) this.#readers.push({ cursor, events: [] });
    this.#pager = { cursor, events: [] };
  }

  async run(step: Step): Promise<void> {
    if (step.do === 'change') for (const user of step.users) this.#change(user, step.skewMs);
    else if (step.do === 'deliver')
      await this.#faults.during(step.fault, step.after, () => this.#deliver(step.shard, step.size));
    else if (step.do === 'arrive') await this.#faults.arrive();
    else if (step.do === 'poll') await this.#faults.hiding(step.hidden, () => this.#poll(this.#reader(step.reader)));
    else if (step.do === 'page')
      await this.#faults.hiding(step.hidden, async () => void (await this.#readPage(step.limit)));
    else this.#reconnect(this.#reader(step.reader), step.back);
  }

  async settle(): Promise<void> {
    for (const [index, shard] of this.#shards.entries()) while (shard.length > 0) await this.#deliver(index, 4);
    await this.#faults.arrive();
    for (const reader of this.#readers) await this.#poll(reader);
    while (await this.#readPage(3));
  }

  async readUserLogs() {
    const events: { id: string; name: unknown }[] = [];
    for (const id of this.#ids)
      for await (const { change } of readChanges(userTopic(id), { watermark: MIN_POSITION, offset: 0 }))
        if (change) events.push({ id: change.id, name: change.item?.name });
    return groupByUser(this.#ids, events);
  }

  [Symbol.dispose](): void {
    this.#faults[Symbol.dispose]();
  }

  #reader(index: number): Reader {
    const reader = this.#readers[index];
    if (!reader) throw new Error(`There is no reader ${index}`);
    return reader;
  }

  #change(user: number, skewMs: number): void {
    const id = this.#ids[user] ?? '';
    const { pk, sk } = userKey(id);
    this.#made[id]?.push(++sequence);
    this.#shards[user < 2 ? 0 : 1]?.push({
      eventName: 'MODIFY',
      dynamodb: {
        Keys: { pk: { S: pk }, sk: { S: sk } },
        NewImage: { name: { N: String(sequence) } },
        ApproximateCreationDateTime: (now + skewMs) / 1000,
        SequenceNumber: formatPosition(sequence),
      },
    });
  }

  /** Delivers a batch. Removes the records before the first failed one, like Lambda. */
  async #deliver(index: number, size: number): Promise<void> {
    const shard = this.#shards[index] ?? [];
    const batch = shard.slice(0, size);
    const remaining = (await handleRecords(batch, this.#reactions)).remaining;
    shard.splice(0, batch.length - remaining.length);
  }

  async #poll(reader: Reader): Promise<void> {
    for await (const { change, position } of readChanges(allUsers, reader.cursor)) {
      reader.cursor = { ...reader.cursor, at: Date.now(), ...position };
      if (change) reader.events.push({ id: change.id, name: change.item?.name, cursor: reader.cursor });
    }
  }

  /** Reads a page. Returns true if more changes follow. */
  async #readPage(limit: number): Promise<boolean> {
    const pager = this.#pager;
    if (!pager) throw new Error('The model has not started');
    const { changes, end, hasMore } = await readChangesPage(pager.cursor, limit);
    pager.events.push(...changes.map(({ id, item }) => ({ id, name: item?.name, cursor: end })));
    pager.cursor = decodeLogCursor(allUsers, encodeLogCursor(allUsers, end));
    return hasMore;
  }

  /** Resumes as if the client lost the last `back` events. */
  #reconnect(reader: Reader, back: number): void {
    const last = reader.events.at(-1 - back);
    if (!last) return;
    reader.events = reader.events.slice(0, reader.events.length - back);
    reader.cursor = decodeLogCursor(allUsers, encodeLogCursor(allUsers, last.cursor));
  }
}

const groupByUser = (ids: string[], events: { id: string; name: unknown }[]) =>
  Object.fromEntries(ids.map((id) => [id, events.filter((event) => event.id === id).map(({ name }) => name)]));
