import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RowResult } from '../../../../infra/transfer/import-rows.ts';
import { GENEROUS_TIME_LIMITS } from '../../../setup/time-limits.ts';

export type CommandResult = { code: number | null; output: string; errors: string };

export function startCommand(script: 'import' | 'export', args: string[], environment: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [`infra/scripts/${script}.ts`, ...args], {
    env: { ...process.env, ...GENEROUS_TIME_LIMITS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { output: '', errors: '' };
  child.stdout?.on('data', (text) => (printed.output += text));
  child.stderr?.on('data', (text) => (printed.errors += text));
  const ended = once(child, 'close').then(([code]): CommandResult => ({ code, ...printed }));
  return { process: child, ended };
}

/** For exports that are imported by the APIs. */
export const IGNORE_TIMES = ['createdAt', 'updatedAt', 'version'].flatMap((name) => ['--ignore', name]);

export const readResults = (file: string): RowResult[] =>
  readFileSync(`${file}.results.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
