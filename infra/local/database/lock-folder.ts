import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A service that is ending has left the folder by then. */
const TIME_LIMIT_MS = 1_000;

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Keeps other services out of a folder of data as long as this process lives: SQLite locks a file in it, and the operating
 * system releases the lock with the process, however that ends. Returns a function that lets them in again.
 */
export function lockFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, 'lock.db'), { timeout: TIME_LIMIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY;
    throw isBusy
      ? new Error('it is used by another service. Choose another folder with --data, or take --memory')
      : error;
  }
  return () => lock.close();
}
