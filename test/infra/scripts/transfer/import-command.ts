import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RowResult } from '../../../../infra/transfer/import-rows.ts';
import { startFaultProxy } from '../../../setup/proxy.ts';
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

/** `killAt`: number of the database request. `isLost`: the request itself is lost, not only its response. */
export async function importAndKill(args: string[], killAt: number, isLost: boolean): Promise<number | null> {
  let requests = 0;
  let kill = () => {};
  const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => {
    if (++requests < killAt) return undefined;
    kill();
    return isLost ? 'loseRequest' : 'loseAnswer';
  });
  try {
    const command = startCommand('import', args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
    kill = () => command.process.kill('SIGKILL');
    return (await command.ended).code;
  } finally {
    await proxy.stop();
  }
}

/** For exports that are imported by the APIs. */
export const IGNORE_TIMES = ['createdAt', 'updatedAt', 'version'].flatMap((name) => ['--ignore', name]);

export const readResults = (file: string): RowResult[] =>
  readFileSync(`${file}.results.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
