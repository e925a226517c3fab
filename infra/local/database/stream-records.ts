import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/*
 * The embedded engine keeps stream records in an SQLite table without an index, and never deletes any: each read and
 * write scans all. A second connection adds the index and deletes old records.
 */

/** Waits this long for another writer, because SQLite allows one at a time. */
const TIME_LIMIT_MS = 5_000;

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

/** Returns whether the stream has this record or a later one. The engine numbers the records of each table in order. */
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

/** Sequence numbers of the last records that all consumers, or only on-change, have consumed. */
export type Consumed = { shard: string; byAll: number; byOnChange: number };

export type Trimming = { stop(): Promise<void> };

const INTERVAL_MS = 1_000;
const DAY_SECONDS = 24 * 3_600;
/** Records per deleted batch. The engine and the service wait for each batch. */
const BATCH_SIZE = 1_000;

/** Records that only on-change has consumed, but no webhook yet, are deleted after a day. */
export function startTrimming(file: string, TableName: string, readConsumed: () => Consumed[]): Trimming {
  const database = new DatabaseSync(file, { timeout: TIME_LIMIT_MS });
  // `secure_delete` overwrites deleted data. Only the engine checkpoints the write-ahead log: a checkpoint here would
  // block this process.
  database.exec('PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
  const stopping = new AbortController();
  const trim = async () => {
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

const logTrimError = ({ name, message }: Error) =>
  console.error({ event: 'stream-trim-failed', error: { name, message } });

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
  const { last, count } = found as { last: number | null; count: number }; // An aggregate always returns a row.
  if (last === null) return false;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Keeps the last record, but without content: the engine derives the next number from it.
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
    // A full disk ends the transaction. Another ROLLBACK would fail and hide that error.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
  return count === BATCH_SIZE;
}
