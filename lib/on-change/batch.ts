import type { DynamoDBRecord } from 'aws-lambda';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';
import { mapParallel } from '../parallel.ts';
import { parseRecord, type StreamRecord } from './stream-record.ts';

/** Does something with the records of a batch that have not failed, and tells the batch which fail. It is safe to repeat. */
export type Reaction = (batch: Batch) => Promise<void>;

/** On this machine, records of all items are delivered; some cannot be parsed. On AWS, the event source has a filter (infra/construct/stream-consumer.ts). */
const isOfUser = ({ dynamodb }: DynamoDBRecord) => dynamodb?.Keys?.pk?.S?.startsWith('USER#');

/**
 * AWS rejects a request for a reason that is not in the record: a permission is missing, or the key of the table is disabled.
 * It is an internal error, but the records can be consumed once an operator has acted.
 */
function isDenied(error: unknown): boolean {
  const { $metadata, name } = error as { $metadata?: object; name?: string };
  return $metadata !== undefined && name !== 'ValidationException';
}

/** The records of users and of what is theirs in a batch of the stream, and which of them failed. */
export class Batch {
  readonly #records: StreamRecord[];
  readonly #failed = new Set<StreamRecord>();
  /** Those that failed by an internal error. */
  readonly #broken = new Set<StreamRecord>();
  readonly #erased = new Set<StreamRecord>();

  constructor(records: DynamoDBRecord[]) {
    this.#records = records.filter(isOfUser).map(parseRecord);
  }

  /** Those that have not failed. */
  get records(): StreamRecord[] {
    return this.#records.filter((record) => !this.#failed.has(record));
  }

  /** A throttled or unreachable database is no internal error. */
  fail(records: StreamRecord[], error: unknown): void {
    logFailure(error, { eventId: records[0]?.source.eventID, records: records.length });
    const isBroken = !isUnavailable(error) && !isDenied(error);
    for (const record of records) {
      this.#failed.add(record);
      if (isBroken) this.#broken.add(record);
    }
  }

  /** Runs for each record that has not failed; what it throws is the failure of that record. */
  async runEach(run: (record: StreamRecord) => Promise<void> | undefined, maxParallel: number): Promise<void> {
    const tryRun = async (record: StreamRecord) => {
      try {
        await run(record);
      } catch (error) {
        this.fail([record], error);
      }
    };
    await mapParallel(this.records, tryRun, maxParallel);
  }

  /** What a record says of its person must not be stored again. */
  markErased(records: StreamRecord[]): void {
    for (const record of records) this.#erased.add(record);
  }

  isErased(record: StreamRecord): boolean {
    return this.#erased.has(record);
  }

  /** Tells whether it is worth waiting: for the database, or for an operator. */
  get isRetryable(): boolean {
    return this.#failed.size > 0 && this.#broken.size === 0;
  }

  /** The records that the code cannot handle. */
  get broken(): DynamoDBRecord[] {
    return [...this.#broken].map(({ source }) => source);
  }

  /** The records that the stream delivers again: the first that failed, and all after it. */
  get remaining(): DynamoDBRecord[] {
    const first = this.#records.findIndex((record) => this.#failed.has(record));
    return first < 0 ? [] : this.#records.slice(first).map(({ source }) => source);
  }
}
