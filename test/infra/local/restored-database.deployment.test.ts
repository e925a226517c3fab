import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findDynamodbLocal } from '../../../infra/local/database/engine.ts';
import type { Engine } from '../../../infra/local/database/start.ts';
import { startLocalService } from '../../setup/local-service.ts';

const delivered = new Set<string>();
const receiver = createServer(async (request, response) => {
  delivered.add(JSON.parse(String(Buffer.concat(await request.toArray()))).subject);
  response.writeHead(204).end();
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');
afterAll(() => receiver.close().closeAllConnections());
const EVENTS = ['--events', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'restored-'));
  return () => rmSync(folder, { recursive: true });
});

let created = 0;

async function createUsers(url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const email = `ada${++created}@example.org`;
    const create = () =>
      fetch(`${url}/v1/users`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': email },
        body: JSON.stringify({ name: 'Ada', email }),
      });
    let response = await create();
    // DynamoDB Local may answer its first request too late.
    while (response.status === 503) response = await create();
    expect(response.status).toBe(201);
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

async function countChanges(url: string, id: string): Promise<number> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ userHistory(id: "${id}") { edges { node { version } } } }` }),
  });
  const { data } = (await response.json()) as { data: { userHistory: { edges: unknown[] } } };
  return data.userHistory.edges.length;
}

const DATABASE = ['*.db', '*.db-*'];
const removeDatabase = (data: string) => {
  for (const file of globSync(DATABASE, { cwd: data })) rmSync(join(data, file));
};

const engines: Engine[] = findDynamodbLocal({ port: 1, inMemory: true })
  ? ['embedded', 'dynamodb-local']
  : ['embedded'];

describe.each(engines)('on the engine %s', (engine) => {
  const data = () => join(folder, 'data');

  /** Starts a service, creates users, and stops it once all stream consumers have processed them. Returns the ids. */
  async function run(count: number, { events = EVENTS } = {}): Promise<string[]> {
    const service = await startLocalService(['--engine', engine, '--data', data(), ...events]);
    onTestFinished(() => void service.process.kill('SIGKILL'));
    const ids = await createUsers(service.url, count);
    for (const id of ids) await expect.poll(() => countChanges(service.url, id), { timeout: 60_000 }).toBe(1);
    if (events.length > 0) await expect.poll(() => [...delivered]).toEqual(expect.arrayContaining(ids));
    await service.stop();
    return ids;
  }

  test('a new database has histories and events despite checkpoints of a deleted database', async () => {
    await run(5);
    removeDatabase(data());
    expect(await run(1)).toHaveLength(1);
  });

  test('a restored database has histories and events despite checkpoints of a later state', async () => {
    await run(1);
    cpSync(data(), join(folder, 'copy'), { recursive: true });
    await run(5);
    removeDatabase(data());
    for (const file of globSync(DATABASE, { cwd: join(folder, 'copy') }))
      cpSync(join(folder, 'copy', file), join(data(), file));
    const withoutWebhook = await run(8, { events: [] });
    await run(1);
    // A start without a webhook also discards the webhook's checkpoint.
    await expect.poll(() => [...delivered]).toEqual(expect.arrayContaining(withoutWebhook));
  });
});
