import { DatabaseSync } from 'node:sqlite';

/** https://www.sqlite.org/rescode.html. Busy: another process has locked the file. */
const [SQLITE_BUSY, SQLITE_CORRUPT, SQLITE_NOTADB] = [5, 11, 26];

/** SQLite extends its codes in the higher bytes. */
const CODE = 0xff;

/**
 * The operating system releases SQLite's lock even after a crash. Returns a function that unlocks the file, undefined
 * if it is still locked at the time limit.
 */
export function lockFile(file: string, timeLimitMs: number): (() => void) | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: timeLimitMs });
    lock.exec('BEGIN EXCLUSIVE');
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    const { errcode = 0, message } = error as Error & { errcode?: number };
    const code = errcode & CODE;
    if (code === SQLITE_BUSY) return undefined;
    const isDamaged = code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
    throw new Error(
      `${file} cannot be locked (${message}): ${isDamaged ? 'remove it' : 'check the free space and the rights of its folder'}`,
    );
  }
}
