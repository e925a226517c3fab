import type { DynamoDBRecord } from 'aws-lambda';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';
import { mapParallel } from '../parallel.ts';
import { parseRecord, type StreamRecord } from './stream-record.ts';

/** Reacts to the changes in a batch, and marks failures in it. Must be safe to repeat. */
export type Reaction = (batch: Batch) => Promise<void>;

/** Selects items of users. The event source does so in AWS, but the local service delivers all. */
const belongsToUser = ({ dynamodb }: DynamoDBRecord) => dynamodb?.Keys?.pk?.S?.startsWith('USER#');

/**
 * True if AWS denied the request: a permission is missing, or the table's key is disabled. Retry until an operator
 * fixes it.
 */
function isDenied(error: unknown): boolean {
  const { $metadata, name } = error as { $metadata?: object; name?: string };
  return $metadata !== undefined && name !== 'ValidationException';
}

export class Batch {
  readonly #records: StreamRecord[];
  readonly #failed = new Set<StreamRecord>();
  readonly #broken = new Set<StreamRecord>();
  readonly #erased = new Set<StreamRecord>();

  constructor(records: DynamoDBRecord[]) {
    this.#records = records.filter(belongsToUser).map(parseRecord);
  }

  /** Excludes records that have failed. */
  get records(): StreamRecord[] {
    return this.#records.filter((record) => !this.#failed.has(record));
  }

  fail(records: StreamRecord[], error: unknown): void {
    logFailure(error, { eventId: records[0]?.source.eventID, records: records.length });
    const isBroken = !isUnavailable(error) && !isDenied(error);
    for (const record of records) {
      this.#failed.add(record);
      if (isBroken) this.#broken.add(record);
    }
  }

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

  /** Reactions must not store personal data from these records again. */
  markErased(records: StreamRecord[]): void {
    for (const record of records) this.#erased.add(record);
  }

  isErased(record: StreamRecord): boolean {
    return this.#erased.has(record);
  }

  /** True if every failure may pass without a code change: the database recovers, or an operator grants access. */
  get isRetryable(): boolean {
    return this.#failed.size > 0 && this.#broken.size === 0;
  }

  /** Records that only a code change can handle. */
  get broken(): DynamoDBRecord[] {
    return [...this.#broken].map(({ source }) => source);
  }

  /** The first failed record and all later ones: the stream delivers them again. */
  get remaining(): DynamoDBRecord[] {
    const first = this.#records.findIndex((record) => this.#failed.has(record));
    return first < 0 ? [] : this.#records.slice(first).map(({ source }) => source);
  }
}
