import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'clock-'));
const file = join(folder, 'users.ndjson');
writeFileSync(file, JSON.stringify({ name: 'Ada', email: 'ada@example.com' }));
const fields = 'test/setup/person-fields.json';
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts an empty DynamoDB with another time than this machine. */
async function startDynamoDb(aheadMs: number) {
  const operations: string[] = [];
  const server = createServer((request, response) => {
    operations.push(String(request.headers['x-amz-target']).split('.')[1] ?? '');
    response.sendDate = false;
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, operations };
}

const HOUR_MS = 3_600_000;
const TEN_SECONDS_MS = 10_000;

test.each([
  ['import', [file], 'Not imported', HOUR_MS, 'behind'],
  ['import', [file], 'Not imported', -HOUR_MS, 'ahead'],
  ['import', [file], 'Not imported', TEN_SECONDS_MS, 'behind'],
  ['erase', ['01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23'], 'Not erased', HOUR_MS, 'behind'],
  ['erase', ['--request'], 'Not erased', HOUR_MS, 'behind'],
  ['check-table', ['--repair'], 'Not checked', -HOUR_MS, 'ahead'],
  ['check-table', ['--rebuild'], 'Not checked', -TEN_SECONDS_MS, 'ahead'],
  ['purge-field', ['--fields', fields, 'former'], 'Not purged', HOUR_MS, 'behind'],
  ['relink', ['--fields', fields, '--issuer', 'https://example.com', file], 'Not relinked', HOUR_MS, 'behind'],
] as const)(
  '%s %j writes nothing to a table if the clock is wrong',
  async (script, args, failure, aheadMs, direction) => {
    const { server, url, operations } = await startDynamoDb(aheadMs);
    const command = spawn(process.execPath, [`infra/scripts/${script}.ts`, '--table', 'users', ...args], {
      env: { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: url },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const errors = await text(command.stderr);
    server.close();
    const reason = new RegExp(`${failure}: The clock of this machine is (\\d+) seconds ${direction}\\.`);
    expect(errors).toMatch(reason);
    const [, seconds] = reason.exec(errors) ?? [];
    expect(Math.abs(Number(seconds) - Math.abs(aheadMs) / 1000)).toBeLessThan(5);
    expect(operations.filter((operation) => operation !== 'DescribeTable')).toEqual(['GetItem']);
  },
);
