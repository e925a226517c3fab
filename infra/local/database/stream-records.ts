import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * The embedded engine keeps the records of streams in a table of its SQLite file. It never deletes one, and has no index for
 * them: each write reads all records to find the next sequence number, and so does each read. A second connection helps.
 */

/** SQLite lets one connection write at a time. */
const TIME_LIMIT_MS = 5_000;

/** The data of an earlier release may have a million records: then this takes a second, once. */
export function indexStreamRecords(file: string): void {
  const database = new DatabaseSync(file, { timeout: TIME_LIMIT_MS });
  try {
    database.exec(
      'CREATE INDEX IF NOT EXISTS stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
    );
  } finally {
    database.close();
  }
}

/** Tells whether a table has had a record of this sequence number. The engine numbers the records of each table. */
export function hasReached(file: string, TableName: string, sequence: number): boolean {
  const database = new DatabaseSync(file, { timeout: TIME_LIMIT_MS });
  try {
    const found = database
      .prepare('SELECT 1 FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) >= ? LIMIT 1')
      .get(TableName, sequence);
    return found !== undefined;
  } finally {
    database.close();
  }
}

/** The sequence numbers of the last records of a shard that were consumed. */
export type Consumed = { shard: string; byAll: number; byOnChange: number };

export type Trimming = { stop(): Promise<void> };

const INTERVAL_MS = 1_000;
/** DynamoDB keeps records as long. */
const DAY_SECONDS = 24 * 3_600;
/** Engine and service wait while a batch is deleted. */
const BATCH_SIZE = 1_000;

/**
 * Deletes the records of a table's stream that all consumers have consumed. Those that wait only for another consumer than
 * on-change, such as a webhook that does not respond, are deleted after a day.
 */
export function startTrimming(file: string, TableName: string, readConsumed: () => Consumed[]): Trimming {
  const database = new DatabaseSync(file, { timeout: TIME_LIMIT_MS });
  // What is deleted is also overwritten. Only the engine writes to the disk, as that would take this process some time.
  database.exec('PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
  const stopping = new AbortController();
  const trim = async () => {
    // Others have their turn between two batches.
    for (const consumed of readConsumed()) while (trimBatch(database, TableName, consumed)) await sleep(0);
  };
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await trim().catch(logTrimError);
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
    await trim().catch(logTrimError);
    database.close();
  })();
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** The next run deletes what this one could not. */
const logTrimError = ({ name, message }: Error) =>
  console.error({ event: 'stream-trim-failed', error: { name, message } });

/** Returns whether it found a whole batch, so that there may be more. */
function trimBatch(database: DatabaseSync, table: string, { shard, byAll, byOnChange }: Consumed): boolean {
  const expired = Math.floor(Date.now() / 1_000) - DAY_SECONDS;
  const found = database
    .prepare(
      `SELECT MAX(number) AS last, COUNT(*) AS count FROM (
         SELECT CAST(sequence_number AS INTEGER) AS number, created_at FROM _stream_records
         WHERE table_name = :table AND CAST(sequence_number AS INTEGER) <= :byOnChange AND shard_id = :shard
         ORDER BY CAST(sequence_number AS INTEGER) LIMIT ${BATCH_SIZE}
       ) WHERE number <= :byAll OR created_at < :expired`,
    )
    .get({ table, shard, byAll, byOnChange, expired });
  const { last, count } = found as { last: number | null; count: number }; // An aggregate always has a row.
  if (last === null) return false;
  database.exec('BEGIN IMMEDIATE');
  try {
    // The engine numbers the next record after the last one: that stays, without content, where no consumer reads it.
    database
      .prepare(
        `UPDATE _stream_records SET shard_id = 'trimmed', keys_json = '{}', new_image = NULL, old_image = NULL
         WHERE table_name = ? AND CAST(sequence_number AS INTEGER) = ?`,
      )
      .run(table, last);
    database
      .prepare('DELETE FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < ?')
      .run(table, last);
    database.exec('COMMIT');
  } catch (error) {
    // A full disk ends the transaction: another ROLLBACK would fail, and hide that.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  return count === BATCH_SIZE;
}
