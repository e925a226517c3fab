import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, isIPv6 } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Database,
  findDynamodbLocal,
  findDynoxide,
  findFreePort,
  findMissingForDynamodbLocal,
  startEngine,
} from '../../../infra/local/database/engine.ts';
import {
  createEngineAddress,
  type Engine,
  explainNoEngine,
  retryOnOtherPorts,
  startDatabase,
} from '../../../infra/local/database/start.ts';
import { runToEnd, startLocalService } from '../../setup/local-service.ts';
import { listDescendants } from '../../setup/processes.ts';

const folder = mkdtempSync(join(tmpdir(), "user management's Zoë "));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Client = Pick<Database, 'endpoint' | 'accessKeyId'>;

async function send(
  { endpoint, accessKeyId }: Client,
  operation: string,
  body: object = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      origin: 'https://site.example',
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': operation,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${operation} returned ${response.status}: ${await response.text()}`);
  const allowed = response.headers.get('access-control-allow-origin');
  return { ...((await response.json()) as object), ...(allowed ? { allowed } : {}) };
}

const DYNAMODB = 'DynamoDB_20120810';
const STREAMS = 'DynamoDBStreams_20120810';

const listTables = async (database: Client) => (await send(database, `${DYNAMODB}.ListTables`)).TableNames;

/** Sends requests as another process or a page would. Returns empty results if it cannot connect. */
const tryAll = ({ TableName }: { TableName: string }, database: Client) =>
  Promise.all([
    send(database, `${DYNAMODB}.ListTables`).catch(() => ({ TableNames: [] })),
    send(database, `${STREAMS}.ListStreams`).catch(() => ({ Streams: [] })),
    send(database, `${DYNAMODB}.Scan`, { TableName }).catch(() => 'rejected'),
    send(database, `${DYNAMODB}.DeleteTable`, { TableName }).catch(() => 'rejected'),
  ]);

const TABLE = {
  TableName: 'users',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
};

const ADA = {
  method: 'POST',
  body: '{"name":"Ada","email":"ada@example.org"}',
  headers: { 'content-type': 'application/json' },
};

const OPTIONS = { host: '127.0.0.1', port: 1, inMemory: true };

async function listen(address: string): Promise<AsyncDisposable & { port: number }> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

// DynamoDB Local needs Java.
const engines: Engine[] = findDynamodbLocal(OPTIONS) ? ['embedded', 'dynamodb-local'] : ['embedded'];

describe.each(engines)('the engine %s', (engine) => {
  test('keeps its data in a folder with special characters in its name', async () => {
    const args = ['--engine', engine, '--data', join(folder, engine)];
    const first = await startLocalService(args);
    expect((await fetch(`${first.url}/v1/users`, ADA)).status).toBe(201);
    await first.stop();
    const second = await startLocalService(args);
    expect(await (await fetch(`${second.url}/v1/users`)).json()).toMatchObject([{ name: 'Ada' }]);
    await second.stop();
  });

  test('hides its tables from pages, from scans of local addresses, and from other access keys', async () => {
    const database = await startDatabase(undefined, engine);
    await send(database, `${DYNAMODB}.CreateTable`, TABLE);
    const { port, hostname } = new URL(database.endpoint);
    const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
    // DynamoDB Local's address is not secret, but its access key is.
    const hosts = [...addresses, 'localhost', ...(engine === 'dynamodb-local' ? [hostname] : [])];
    for (const host of hosts)
      for (const accessKeyId of ['local', 'test']) {
        const endpoint = `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
        expect(await tryAll(TABLE, { endpoint, accessKeyId }), host).toEqual([
          { TableNames: [] },
          { Streams: [] },
          'rejected',
          'rejected',
        ]);
      }
    expect(await listTables(database)).toEqual(['users']);
    await database.stop();
  });

  test('can be started and stopped twice at the same time', async () => {
    const databases = await Promise.all([startDatabase(undefined, engine), startDatabase(undefined, engine)]);
    expect(await Promise.all(databases.map(listTables))).toEqual([[], []]);
    await Promise.all(databases.map(({ stop }) => stop()));
    await expect(listTables(databases[0])).rejects.toThrow();
    await databases[0].stop();
  });

  test.each(['127.0.0.1', '0.0.0.0'])('uses another port if %s listens on the first one', async (address) => {
    await using blocker = await listen(address);
    const ports = [blocker.port, await findFreePort()];
    const database = await retryOnOtherPorts(async () => {
      const engineAddress = { ...(await createEngineAddress()), port: ports.shift() ?? 0 };
      const command =
        engine === 'embedded' ? findDynoxide(engineAddress) : findDynamodbLocal({ ...engineAddress, inMemory: true });
      return startEngine(command ?? [], engineAddress, { path: mkdtempSync(join(folder, 'port')), isTemporary: true });
    });
    expect(ports).toEqual([]);
    expect(await listTables(database)).toEqual([]);
    await database.stop();
  });
});

test('a data folder accepts one service at a time, and is free after a service was killed', async () => {
  const args = ['--data', join(folder, 'one at a time')];
  const first = await startLocalService(args);
  await expect(startLocalService(args)).rejects.toThrow('another service or command uses it');
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  const second = await startLocalService(args);
  await second.stop();
});

test('--sample says that it fills only an empty database', async () => {
  const args = ['--data', join(folder, 'sample'), '--sample', '3'];
  const first = await startLocalService(args);
  expect(first.warned()).toBe('Creating 3 sample users\n');
  await first.stop();
  const second = await startLocalService(args);
  expect(second.warned()).toMatch(/^The database has users, so --sample adds none\./);
  await second.stop();
});

test('of two databases that start in one folder at the same time, one succeeds', async () => {
  const data = join(folder, 'locked');
  const started = await Promise.allSettled([startDatabase(data), startDatabase(data)]);
  const [database, ...others] = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(others).toEqual([]);
  await expect(startDatabase(data)).rejects.toThrow(`${data}: another service or command uses it`);
  await database?.stop();
  await (await startDatabase(data)).stop();
});

test.skipIf(process.platform === 'win32')('a new data folder is private to its owner', async () => {
  const data = join(folder, 'private');
  await (await startDatabase(data)).stop();
  expect(statSync(data).mode & 0o77).toBe(0);
});

test.skipIf(process.platform === 'win32')(
  'data in a shared folder is private to its owner, including data written before',
  async () => {
    const data = join(folder, 'open');
    mkdirSync(data, { mode: 0o755 });
    await (await startDatabase(data)).stop();
    const list = () => readdirSync(data).map((file) => [file, statSync(join(data, file)).mode & 0o77]);
    expect(list()).toEqual(expect.arrayContaining([['users.db', 0]]));
    expect(list().filter(([, mode]) => mode)).toEqual([]);
    for (const [file] of list()) chmodSync(join(data, String(file)), 0o644);
    await (await startDatabase(data)).stop();
    expect(list().filter(([, mode]) => mode)).toEqual([]);
    expect(statSync(data).mode & 0o777).toBe(0o755);
  },
);

test('a service exits when its database engine ends', async () => {
  const service = await startLocalService(['--memory']);
  const exited = once(service.process, 'exit');
  const reason = text(service.process.stderr as Readable);
  const processes = listDescendants(service.process.pid);
  const folders = processes.flatMap((pid) => (process.platform === 'linux' ? readlinkSync(`/proc/${pid}/cwd`) : []));
  for (const pid of processes) process.kill(pid, 'SIGKILL');
  expect((await exited)[0]).toBe(1);
  expect(await reason).toContain('The embedded database has ended: signal SIGKILL"');
  expect(folders.filter((path) => path !== process.cwd() && existsSync(path))).toEqual([]);
});

test.runIf(findDynoxide(OPTIONS))(
  'a stopped service leaves no write-ahead log, which would keep values of erased people',
  async () => {
    const data = join(folder, 'log');
    const service = await startLocalService(['--data', data]);
    expect((await fetch(`${service.url}/v1/users`, ADA)).status).toBe(201);
    expect(readdirSync(data)).toContain('users.db-wal');
    await service.stop();
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['users.db']));
    expect(readdirSync(data)).not.toContain('users.db-wal');
  },
);

test.runIf(findDynoxide(OPTIONS))(
  'temporary data is in a private folder, which is removed with the database',
  async () => {
    const { file = '', stop } = await startDatabase();
    expect(statSync(dirname(file)).mode & 0o77).toBe(0);
    await stop();
    expect(existsSync(dirname(file))).toBe(false);
  },
);

test.each([
  ['that does not exist', [join(folder, 'nothing')], /ENOENT/],
  [
    'that fails',
    [process.execPath, '-e', 'console.error("error: no space"); setTimeout(() => {}, 60_000)'],
    /error: no space/,
  ],
  [
    'that writes the reason in two parts',
    [
      process.execPath,
      '-e',
      'process.stderr.write("error: no"); setTimeout(() => console.error(" space"), 200); setTimeout(() => {}, 60_000)',
    ],
    /error: no space/,
  ],
  ['that ends at once', [process.execPath, '-e', 'process.exitCode = 3'], /did not start: exit code 3$/],
])('the error for an engine %s contains the reason', async (_, command, reason) => {
  await expect(startEngine(command, await createEngineAddress())).rejects.toThrow(reason);
});

test('the error names a folder that cannot be used', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(startDatabase(file)).rejects.toThrow(`${file} is not a folder`);
  await expect(startDatabase(join(file, 'below'))).rejects.toThrow(`${join(file, 'below')} is not a folder`);
});

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'the error names a folder that cannot be written',
  async () => {
    const closed = join(folder, 'closed');
    await (await startDatabase(closed)).stop();
    chmodSync(closed, 0o555);
    await expect(startDatabase(closed)).rejects.toThrow(`${closed}: it cannot be written (EACCES: permission denied`);
    chmodSync(closed, 0o755);
  },
);

test.runIf(findDynoxide(OPTIONS))('the error names a folder whose data cannot be opened', async () => {
  const broken = join(folder, 'broken');
  mkdirSync(join(broken, 'users.db'), { recursive: true });
  await expect(startDatabase(broken)).rejects.toThrow(`${broken}: The embedded database did not start`);
});

test('without an engine, the error names the missing software', () => {
  expect(findMissingForDynamodbLocal(join(folder, 'java'))).toContain('Java 17 or later');
  expect(findMissingForDynamodbLocal(process.execPath)).toContain('Java 17 or later');
  expect(explainNoEngine('dynamodb-local', ['Java 17 or later'])).toBe('DynamoDB Local needs Java 17 or later');
  expect(explainNoEngine('embedded', ['Java 17 or later', '"npm run install:dynamodb-local"'])).toMatch(
    /^There is no embedded database for \S+, and DynamoDB Local needs Java 17 or later and "npm run install:dynamodb-local"/,
  );
});

test('DynamoDB Local is not used without Java 17', () => {
  expect(findDynamodbLocal(OPTIONS, join(folder, 'java'))).toBeUndefined();
  expect(findDynamodbLocal(OPTIONS, process.execPath)).toBeUndefined();
});

test('the guard kills the engines of a parent that was killed', async () => {
  const script = `
    const { startEngine } = await import('./infra/local/database/engine.ts');
    const { startDatabase } = await import('./infra/local/database/start.ts');
    const { endpoint, file } = await startDatabase();
    console.log(JSON.stringify({ endpoint, file }));
    setTimeout(() => {}, 600_000);`;
  const { DATABASE_GUARD: _, ...env } = process.env;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(parent.stdout, 'data');
  const { endpoint, file } = JSON.parse(printed);
  const database = { endpoint, accessKeyId: 'local' };
  expect(await listTables(database)).toEqual([]);
  expect(file === undefined || existsSync(file)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => listTables(database).catch(() => 'gone'), { timeout: 120_000 }).toBe('gone');
  if (file) await expect.poll(() => existsSync(dirname(file)), { timeout: 120_000 }).toBe(false);
});

/** Each engine runs in the folder of its data. */
const findEngines = (data: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === data;
    } catch {
      return false;
    }
  });

test.runIf(findDynoxide(OPTIONS))('no engine remains if the guard cannot start', async () => {
  const data = join(folder, 'unguarded');
  const environment = { TMPDIR: join(folder, 'removed') };
  const { code, errors } = await runToEnd(['--data', data, '--port', '0'], environment);
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(`Not started: ${data}: ENOENT`) });
  await expect.poll(() => findEngines(data)).toEqual([]);
});

test('the scripts of package.json run without a Unix shell', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const shells = Object.entries(scripts).filter(([, script]) =>
    /\b(exec|sh)\b|\bexport \w+=|['$;`|]|(^|&& )\w+=/.test(script),
  );
  expect(shells).toEqual([]);
});
