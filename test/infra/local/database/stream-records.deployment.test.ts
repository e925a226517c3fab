import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { followStream } from '../../../../infra/local/change-stream.ts';
import { findDynoxide } from '../../../../infra/local/database/engine.ts';
import { databaseEnvironment, startDatabase } from '../../../../infra/local/database/start.ts';
import { startTrimming } from '../../../../infra/local/database/stream-records.ts';
import { createTable, enableStream, LOCAL_TABLE } from '../../../../infra/local/table.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';

// Tests an undocumented detail of the engine.

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stream-records-'));
  return () => rmSync(folder, { recursive: true });
});

function query<Row>(sql: string): Row[] {
  const database = new DatabaseSync(join(folder, 'users.db'), { timeout: 10_000 });
  try {
    return database.prepare(sql).all() as Row[];
  } finally {
    database.close();
  }
}

type Row = { sequence_number: string; shard_id: string; keys_json: string; new_image: string | null };
const readRecords = () => query<Row>('SELECT * FROM _stream_records ORDER BY id');
const readNumbers = () => readRecords().map(({ sequence_number }) => sequence_number);

const waitFor = (check: () => unknown) => vi.waitFor(check, { timeout: 120_000, interval: 100 });

describe.runIf(findDynoxide({ host: '127.0.0.1', port: 1 }))('the records of the embedded engine', () => {
  async function startTable() {
    const { stop, ...database } = await startDatabase(folder);
    for (const [name, value] of Object.entries(databaseEnvironment(database))) vi.stubEnv(name, value);
    await createTable(LOCAL_TABLE);
    const stream = await enableStream(LOCAL_TABLE);
    const client = new DynamoDBClient();
    const put = async (...names: string[]) => {
      for (const name of names)
        await client.send(new PutItemCommand({ TableName: LOCAL_TABLE, Item: { pk: { S: name }, sk: { S: 'USER' } } }));
    };
    const stopAll = async () => {
      client.destroy();
      vi.unstubAllEnvs();
      await stop();
    };
    return { stream, put, [Symbol.asyncDispose]: stopAll };
  }

  const shard = `shardId-00000001-${LOCAL_TABLE}`;
  const trim = (byAll: number, byOnChange: number) =>
    startTrimming(join(folder, 'users.db'), LOCAL_TABLE, () => [{ shard, byAll, byOnChange }]).stop();

  test('are found by an index, including data of an earlier release', async () => {
    await (await startTable())[Symbol.asyncDispose]();
    query('DROP INDEX stream_order');
    await using _ = await startTable();
    // The engine runs the first query for each write, and the second for each read.
    const plans = [
      `SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 'users'`,
      `SELECT event_name FROM _stream_records
       WHERE table_name = 'users' AND shard_id = 'shard' AND CAST(sequence_number AS INTEGER) > 1
       ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT 100`,
    ].map((sql) => query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`));
    const usesIndex = [
      { detail: expect.stringMatching(/^SEARCH _stream_records USING (COVERING )?INDEX stream_order/) },
    ];
    expect(plans).toMatchObject([usesIndex, usesIndex]);
  });

  test('are kept when a full disk stops their deletion, and the log contains the reason', async () => {
    await using table = await startTable();
    await table.put('a', 'b');
    query(
      "CREATE TRIGGER full BEFORE DELETE ON _stream_records BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END",
    );
    const error = vi.spyOn(console, 'error').mockReturnValue();
    await trim(2, 2);
    expect(error).toHaveBeenCalledWith({
      event: 'stream-trim-failed',
      error: { name: 'Error', message: 'database or disk is full' },
    });
    expect(readNumbers()).toEqual(['1', '2']);
  });

  test('leave only the last number once consumed, and continue with the next number', async () => {
    await using table = await startTable();
    await table.put('Ada', 'Grace', 'Linda');
    await trim(2, 2);
    const trimmed = { shard_id: 'trimmed', keys_json: '{}', new_image: null, old_image: null };
    expect(readRecords()).toMatchObject([
      { ...trimmed, sequence_number: '2' },
      { sequence_number: '3', new_image: expect.stringContaining('Linda') },
    ]);
    await trim(3, 3);
    expect(readRecords()).toMatchObject([{ ...trimmed, sequence_number: '3' }]);
    await table.put('Edith');
    const seen: string[] = [];
    const follower = await followStream(table.stream, async ({ Records }) => {
      seen.push(...Records.map(({ dynamodb }) => `${dynamodb?.SequenceNumber} ${dynamodb?.Keys?.pk?.S}`));
      return { batchItemFailures: [] };
    });
    await waitFor(() => expect(seen).toEqual(['4 Edith']));
    await follower.stop();
    expect(follower.readCheckpoints()).toEqual({ [shard]: '4' });
  });

  test('stay until they are consumed: at most a day for a webhook, without limit for on-change', async () => {
    await using table = await startTable();
    await table.put('Ada', 'Grace', 'Linda');
    await trim(0, 2);
    expect(readNumbers()).toEqual(['1', '2', '3']);
    query('UPDATE _stream_records SET created_at = created_at - 24 * 3600 - 60');
    await trim(0, 2);
    expect(readNumbers()).toEqual(['2', '3']);
  });

  const start = async (...args: string[]) => {
    const service = await startLocalService(['--data', folder, ...args]);
    onTestFinished(service.stop);
    return service;
  };
  const create = async ({ url }: LocalService, name: string) => {
    const body = JSON.stringify({ name, email: `${name}@example.org` });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/v1/users`, { method: 'POST', headers, body })).status).toBe(201);
  };
  const find = async ({ url }: LocalService, text: string) => (await fetch(`${url}/v1/users?q=${text}`)).json();

  test('are deleted in a running service, and a killed service continues with its changes', async () => {
    const first = await start();
    for (let count = 0; count < 40; count++) await create(first, `Ada${count}`);
    await waitFor(() => expect(readRecords()).toMatchObject([{ keys_json: '{}', new_image: null }]));
    await create(first, 'Grace');
    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    const second = await start();
    await create(second, 'Linda');
    // on-change writes the search entries.
    await waitFor(async () => expect(await find(second, 'Grace')).toMatchObject([{ name: 'Grace' }]));
    await waitFor(async () => expect(await find(second, 'Linda')).toMatchObject([{ name: 'Linda' }]));
    await waitFor(() => expect(readRecords()).toMatchObject([{ keys_json: '{}', new_image: null }]));
    await second.stop();
  });

  test('wait for a webhook that is off during one run', async () => {
    const names: string[] = [];
    let status = 500;
    const receiver = createServer(async (request, response) => {
      const { data } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      if (status === 204) names.push(data.after.name);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => receiver.close().closeAllConnections());
    await once(receiver, 'listening');
    const events = ['--events', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`];
    for (const [args, name] of [
      [events, 'Ada'],
      [[], 'Grace'],
    ] as const) {
      const service = await start(...args);
      await create(service, name);
      await waitFor(async () => expect(await find(service, name)).toHaveLength(1));
      await service.stop();
    }
    status = 204;
    const service = await start(...events);
    // Events of different users arrive in any order.
    await waitFor(() => expect([...new Set(names)].toSorted()).toEqual(['Ada', 'Grace']));
    await waitFor(() => expect(readRecords()).toMatchObject([{ keys_json: '{}', new_image: null }]));
    await service.stop();
  });
});
