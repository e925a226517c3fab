import { DatabaseSync } from 'node:sqlite';

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Locks a file, which is made if there is none, as long as this process lives: SQLite locks it, and the operating system releases the lock
 * with the process, however that ends. Returns a function that releases it, or undefined if another one keeps it for so long.
 */
export function lockFile(file: string, timeLimitMs: number): (() => void) | undefined {
  const lock = new DatabaseSync(file, { timeout: timeLimitMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return () => lock.close();
}
