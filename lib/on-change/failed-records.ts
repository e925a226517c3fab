import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { isUnavailable } from '../errors.ts';
import { logFailure } from '../log.ts';

/** The records of a batch that failed. */
export class FailedRecords {
  readonly #failed = new Set<DynamoDBRecord>();
  #hasInternalError = false;

  /** A throttled or unreachable database is no internal error. */
  add(records: DynamoDBRecord[], error: unknown): void {
    logFailure(error, { eventId: records[0]?.eventID, records: records.length });
    if (!isUnavailable(error)) this.#hasInternalError = true;
    for (const record of records) this.#failed.add(record);
  }

  has(record: DynamoDBRecord): boolean {
    return this.#failed.has(record);
  }

  /** Tells whether it is worth waiting for the database. */
  get isRetryable(): boolean {
    return this.#failed.size > 0 && !this.#hasInternalError;
  }

  /** Those that the stream delivers again: the first that failed, and all after it. */
  selectRemaining(records: DynamoDBRecord[]): DynamoDBRecord[] {
    const first = records.findIndex((record) => this.has(record));
    return first < 0 ? [] : records.slice(first);
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html */
export const toBatchResponse = ([first]: DynamoDBRecord[]): DynamoDBBatchResponse => ({
  batchItemFailures: first ? [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] : [],
});
