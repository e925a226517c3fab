import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { toServiceError } from '../errors.ts';
import { logFailure } from '../log.ts';

/** The records of a batch that could not be consumed. */
export class FailedRecords {
  readonly #failed = new Set<DynamoDBRecord>();

  /** A throttled or unreachable database is no fault of the code: the stream delivers again. */
  add(records: DynamoDBRecord[], error: unknown): void {
    const details = { eventId: records[0]?.eventID, records: records.length };
    logFailure(error, details);
    for (const record of records) this.#failed.add(record);
  }

  has(record: DynamoDBRecord): boolean {
    return this.#failed.has(record);
  }

  /** Names the first one, from which the stream delivers again. */
  toResponse(records: DynamoDBRecord[]): DynamoDBBatchResponse {
    const first = records.find((record) => this.has(record));
    return { batchItemFailures: first ? [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] : [] };
  }
}

export const isUnavailable = (error: unknown) => toServiceError(error)?.code === 'SERVICE_UNAVAILABLE';
