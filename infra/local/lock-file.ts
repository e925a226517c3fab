import { DatabaseSync } from 'node:sqlite';

/** Locked by another process: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/**
 * The operating system releases SQLite's lock even after a crash. Returns a function that unlocks the file, undefined
 * if it is still locked at the time limit.
 */
export function lockFile(file: string, timeLimitMs: number): (() => void) | undefined {
  const lock = new DatabaseSync(file, { timeout: timeLimitMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode === SQLITE_BUSY) return undefined;
    throw new Error(`${file} cannot be locked (${message}): remove it`);
  }
  return () => lock.close();
}
