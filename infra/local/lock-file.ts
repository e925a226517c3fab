import { DatabaseSync } from 'node:sqlite';

/** Error code if another process has locked the file: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * Locks a file for the life of this process: the operating system releases SQLite's lock even after a crash. Returns a
 * function that unlocks it, or undefined if the lock is still held at the time limit.
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
