import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { prices } from '../bill/prices.ts';
import { onTable } from './database.ts';

const USAGE = `npm run node -- infra/bench/import.ts [--users 1000000]
Prints what an import takes of a table on AWS, and the time, CPU time and memory of one into an embedded database.`;

const options = {
  users: { type: 'string', default: '1000000' },
  help: { type: 'boolean', default: false },
} as const;

/** Rows that an import writes together. */
const ROWS = 50;

/** Write units per user after its transaction, measured elsewhere: lib/features/change-log, lib/features/page-index. */
const LOG_UNITS = 1.08;
const INDEX_UNITS = 0.08;

/** Users a second: the limit of the directory, and of the page index for kept times. */
const MAX_RATE = { new: 1_000, kept: 500 };

const { values } = parseArgs({ options });
const users = Number(values.users);

if (values.help) console.log(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-import-'));
  try {
    await measureUnits();
    await measureImport(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads CPU time and memory from /proc, so this requires Linux. */
async function runImport(args: string[]) {
  const [startedAt, cpuBefore] = [performance.now(), readChildrenCpu()];
  const [, ...command] = packageJson.scripts.import.split(' ');
  const child = spawn(process.execPath, [...command, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  let peakMb = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peakMb = Math.max(peakMb, readPeakMb(child.pid));
    await Promise.race([ended, sleep(100)]);
  }
  assert.equal(child.exitCode, 0);
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, cpuSeconds: readChildrenCpu() - cpuBefore, peakMb };
}

/** cutime and cstime count ticks of 10 ms: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readChildrenCpu(): number {
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const [cutime, cstime] = fields.split(' ').slice(13, 15).map(Number);
  return ((cutime ?? 0) + (cstime ?? 0)) / 100;
}

function readPeakMb(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function measureImport(folder: string): Promise<void> {
  const file = join(folder, 'users.csv');
  await pipeline(Readable.from(createCsv()), createWriteStream(file));
  const { seconds, cpuSeconds, peakMb } = await runImport(['--data', join(folder, 'data'), file]);
  const report = {
    users,
    seconds: Math.round(seconds),
    'users a second': Math.round(users / seconds),
    'ms of CPU time for 1,000 users, database included': Math.round((cpuSeconds / users) * 1e6),
    'MB of memory at most': Math.round(peakMb),
    'MB of CSV': Math.round(statSync(file).size / 1e6),
  };
  console.table(report);
}

function* createCsv(): Generator<string> {
  let part = 'name,email\n';
  for (let number = 0; number < users; number++) {
    part += `Ada Lovelace${number},ada.lovelace.${number}@example.org\n`;
    if (part.length < 65_536) continue;
    yield part;
    part = '';
  }
  yield part;
}

async function measureUnits(): Promise<void> {
  const report: Record<string, object> = {};
  await onTable('bench', async () => {
    for (const keepTimes of [false, true]) {
      const { created, reads } = await measureRows(keepTimes);
      const total = created + LOG_UNITS + INDEX_UNITS;
      const rate = keepTimes ? MAX_RATE.kept : MAX_RATE.new;
      report[keepTimes ? '--keep-times' : 'new times'] = {
        'write units a row: its transaction': created,
        'write units a row, log and page index included': total,
        'read units a row': reads,
        'USD for a million': ((total * prices.write + reads * prices.read) * 1e6).toFixed(2),
        'users a second at most': rate,
        'minutes for a million then': Math.ceil(1e6 / rate / 60),
        'write units a second then': Math.ceil(total * rate),
        'minutes in a new table, at 4,000 write units a second': Math.ceil((total * 1e6) / 4_000 / 60),
      };
    }
  });
  console.table(report);
}

async function measureRows(keepTimes: boolean): Promise<{ created: number; reads: number }> {
  const { openTableTarget } = await import('../scripts/transfer/table-target.ts');
  const { measureCost } = await import('./measure.ts');
  const target = await openTableTarget({
    ...{ keepIds: false, keepTimes, update: false, despiteErasure: false },
    ...{ startedAt: new Date().toISOString(), importId: 'bench' },
  });
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    ...{ line: at + 2, size: 100, posts: [] },
    user: { name: `Ada Lovelace${at}`, email: `ada.lovelace.${keepTimes ? at : at + ROWS}@example.org` },
    kept: { createdAt: new Date(Date.parse('2025-01-01') + at).toISOString() },
  }));
  const { reads, writes, indexWrites } = await measureCost(() => target.write(rows));
  return { created: (writes + indexWrites) / ROWS, reads: reads / ROWS };
}
