import type { DynamoDBRecord } from 'aws-lambda';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';
import { mapParallel } from '../parallel.ts';
import { parseRecord, type StreamRecord } from './stream-record.ts';

/** Processes the records that have not failed yet, and marks failures in the batch. Must be safe to repeat. */
export type Reaction = (batch: Batch) => Promise<void>;

/**
 * The event source filters records on AWS (infra/construct/stream-consumer.ts). The local service delivers all
 * records, and some cannot be parsed.
 */
const isOfUser = ({ dynamodb }: DynamoDBRecord) => dynamodb?.Keys?.pk?.S?.startsWith('USER#');

/**
 * True if AWS denied a request, for example because a permission is missing or the table's key is disabled. The record
 * itself is fine: retry until an operator fixes the cause.
 */
function isDenied(error: unknown): boolean {
  const { $metadata, name } = error as { $metadata?: object; name?: string };
  return $metadata !== undefined && name !== 'ValidationException';
}

/** The records of users and their posts in a stream batch, and which of them failed. */
export class Batch {
  readonly #records: StreamRecord[];
  readonly #failed = new Set<StreamRecord>();
  /** Records that failed with an internal error. */
  readonly #broken = new Set<StreamRecord>();
  readonly #erased = new Set<StreamRecord>();

  constructor(records: DynamoDBRecord[]) {
    this.#records = records.filter(isOfUser).map(parseRecord);
  }

  get records(): StreamRecord[] {
    return this.#records.filter((record) => !this.#failed.has(record));
  }

  /** An unavailable database or a denied request does not make a record `broken`. */
  fail(records: StreamRecord[], error: unknown): void {
    logFailure(error, { eventId: records[0]?.source.eventID, records: records.length });
    const isBroken = !isUnavailable(error) && !isDenied(error);
    for (const record of records) {
      this.#failed.add(record);
      if (isBroken) this.#broken.add(record);
    }
  }

  /** Calls `run` for each record that has not failed. An exception fails that record only. */
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

  /** Later reactions must not store the personal data of these records. */
  markErased(records: StreamRecord[]): void {
    for (const record of records) this.#erased.add(record);
  }

  isErased(record: StreamRecord): boolean {
    return this.#erased.has(record);
  }

  /** True if all failures may pass without a code change: the database recovers, or an operator grants access. */
  get isRetryable(): boolean {
    return this.#failed.size > 0 && this.#broken.size === 0;
  }

  /** Records that our code cannot handle. */
  get broken(): DynamoDBRecord[] {
    return [...this.#broken].map(({ source }) => source);
  }

  /** The records that the stream must deliver again: the first failed record and all after it. */
  get remaining(): DynamoDBRecord[] {
    const first = this.#records.findIndex((record) => this.#failed.has(record));
    return first < 0 ? [] : this.#records.slice(first).map(({ source }) => source);
  }
}
