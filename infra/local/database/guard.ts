import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with a file for each engine that runs. Child processes inherit it, so one guard serves a whole test run. */
const VARIABLE = 'DATABASE_GUARD';

/** Starts a process that kills engines left over when this process ends, even by SIGKILL. Does nothing a second time. */
export function startGuard(): void {
  if (process.env[VARIABLE]) return;
  const folder = mkdtempSync(join(tmpdir(), 'user-management-database-'));
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.mjs'), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In another process group, which Ctrl-C in a terminal does not reach.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  guard.unref();
  // Keeps the pipe open as long as this process lives, and not longer.
  (guard.stdin as unknown as { unref(): void }).unref(); // A pipe is a socket, which its type does not say.
  process.env[VARIABLE] = folder;
}

const getFile = (pid: number) => join(process.env[VARIABLE] ?? '', String(pid));

/** Has the guard kill a process. */
export function guardProcess(pid: number): void {
  startGuard();
  writeFileSync(getFile(pid), '');
}

export const releaseProcess = (pid: number): void => rmSync(getFile(pid), { force: true });
