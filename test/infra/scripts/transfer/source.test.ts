import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { openSource } from '../../../../infra/scripts/transfer/source.ts';
import { readRows } from '../../../../infra/transfer/rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'source-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ROWS = 500;
const lines = Array.from({ length: ROWS }, (_, at) => JSON.stringify({ name: 'Ada', email: `${at}@example.com` }));
const text = `${lines.join('\n')}\n`;

/** Returns the share of the file after each hundred rows. */
async function findParts(name: string, bytes: Uint8Array): Promise<(number | undefined)[]> {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  const source = openSource(file);
  const parts: (number | undefined)[] = [];
  for await (const { line } of readRows(source.chunks)) if (line % 100 === 0) parts.push(source.findPart(line));
  return parts;
}

test('the progress of a file that is read at once follows its rows', async () => {
  const parts = await findParts('users.ndjson', Buffer.from(text));
  expect(parts).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
});

test('the progress of a gzip file is complete at its last row only', async () => {
  const parts = await findParts('users.ndjson.gz', gzipSync(text));
  expect(parts[0]).toBeLessThan(0.5);
  expect(parts[3]).toBeLessThan(1);
  expect(parts[4]).toBe(1);
});

test('the size of a pipe is unknown', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const stopping = new AbortController();
  const source = openSource(pipe, { signal: stopping.signal });
  stopping.abort();
  expect(source.findPart(1)).toBeUndefined();
});
