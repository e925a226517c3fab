import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { loadUsers } from '../../../infra/bench/load.ts';
import { bundle } from '../../../infra/construct/bundling/bundle.ts';
import { synthesize } from './synth.ts';

const folder = mkdtempSync(join(tmpdir(), 'index-pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DAY_MS = 24 * 3_600_000;
/** More users than one read returns. The peak was 120 MB with 60,000 users. */
const USERS = 3_000;

const INVOKE = `
  const { existsSync, readFileSync } = await import('node:fs');
  const { handler } = await import(process.env.BUNDLE);
  const result = await handler(JSON.parse(process.env.EVENT), { getRemainingTimeInMillis: () => 900_000 });
  // On Linux, resourceUsage includes the peak of the parent process.
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const peakMb = Number(/VmHWM:\\s+(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024;
  console.log(JSON.stringify({ peakMb, result }));
  process.exit(0);
`;

type Result = { pageIndex?: { indexed: number }; users?: number; next?: string };

/** Runs index-pages in a process with the Node.js flags that Lambda derives from the memory size. */
async function invoke(memoryMb: number, event: object): Promise<{ peakMb: number; result: Result }> {
  const flags = [
    `--max-semi-space-size=${Math.floor(memoryMb * 0.05)}`,
    `--max-old-space-size=${Math.floor(memoryMb * 0.9)}`,
  ];
  const variables = { BUNDLE: join(folder, 'index-pages/index-pages.mjs'), EVENT: JSON.stringify(event) };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', ...flags, '--input-type=module', '--eval', INVOKE],
    { env: { ...process.env, ...variables, NODE_OPTIONS: '' } },
  );
  // Earlier lines are logs.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

function readMemorySize(): number {
  const functions = Object.values(synthesize().findResources('AWS::Lambda::Function'));
  return functions.find(({ Properties }) => Properties.Handler === 'index-pages.handler')?.Properties.MemorySize;
}

test('indexing and repairing many users takes at most three quarters of the 256 MB of index-pages', async () => {
  const memoryMb = readMemorySize();
  expect(memoryMb).toBe(256);
  await bundle(['index-pages'], folder);
  await loadUsers(0, USERS, Date.now() - DAY_MS);
  // A run ends after a minute, so a busy machine needs several.
  for (const event of [{}, { repair: true }]) {
    let next: string | undefined;
    for (let done = 0; done < USERS; ) {
      const { peakMb, result } = await invoke(memoryMb, { ...event, from: next });
      expect(peakMb).toBeLessThan(memoryMb * 0.75);
      const users = result.pageIndex?.indexed ?? result.users ?? 0;
      expect(users).toBeGreaterThan(0);
      done += users;
      next = result.next;
    }
    expect(next).toBeUndefined();
  }
});
