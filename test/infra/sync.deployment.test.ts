import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { type Client, createClient } from '../../lib/client/client.ts';
import { decodeJsonCursor, encodeCursor } from '../../lib/input/cursor.ts';
import { type LocalService, startLocalService } from '../setup/local-service.ts';
import { findCodeBlocks } from '../setup/markdown.ts';
import { startFaultProxy } from '../setup/proxy.ts';

const page = readFileSync('infra/sync.md', 'utf8');
const [nightly = '', warehouse = ''] = findCodeBlocks(page, 'sh');
const [program = ''] = findCodeBlocks(page, 'ts');

const FIELDS = { externalId: { type: 'string', unique: true } };

const folder = mkdtempSync(join('node_modules', '.sync-'));
let service: LocalService;
let users: Client<{ externalId?: string }>['users'];

beforeAll(() => {
  writeFileSync(join(folder, 'fields.json'), JSON.stringify(FIELDS));
});
beforeEach(async () => {
  service = await startLocalService(['--memory', '--fields', join(folder, 'fields.json')]);
  ({ users } = createClient<{ externalId?: string }>({ baseUrl: service.url, fields: ['externalId'] }));
});
afterEach(() => service.stop());
afterAll(() => rmSync(folder, { recursive: true }));

const runShell = (script: string) =>
  spawnSync('bash', ['-c', script], { encoding: 'utf8', env: { ...process.env, URL: service.url } });

type Person = { name: string; email: string };
type Copy = Record<string, Person>;

const createUsers = (names: string[]) =>
  Promise.all(names.map((name) => users.create({ name, email: `${name}@example.org` })));

const listUsers = async (): Promise<Copy> =>
  Object.fromEntries((await Array.fromAsync(users.list())).map(({ id, name, email }) => [id, { name, email }]));

/** Waits until the change log has the changes. */
const waitForChanges = (since: Date, count: number) =>
  expect.poll(() => Array.fromAsync(users.changesSince(since))).toHaveLength(count);

const readLines = (file: string): (Person & { id: string })[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('the nightly import of a file continues after a crash, and reports the users who left', async () => {
  await createUsers(['left']);
  await users.create({ name: 'Ada', email: 'former@example.org', externalId: 'crm-7' });
  const file = join(folder, `crm-${new Date().toISOString().slice(0, 10)}.csv`);
  const rows = Array.from({ length: 300 }, (_, at) => `Ada,crm.${at}@example.org,crm-${at}`);
  writeFileSync(file, ['name,email,externalId', ...rows].join('\n'));
  let [requests, kill] = [0, () => {}];
  const proxy = await startFaultProxy(`${service.url}/graphql`, async (_, body) => {
    if (!body.includes('upsertUsers') || ++requests !== 4) return undefined;
    await expect.poll(() => readLines(`${file}.results.ndjson`)).not.toEqual([]);
    kill();
    return 'loseAnswer';
  });
  const script = nightly.replace('FILE=', `FILE=${folder}/`);
  const env = { ...process.env, URL: service.url };
  // The address of crm-7 is not in the file, but its key is.
  expect(runShell(script.replace('--update', '--dry-run --update'))).toMatchObject({ status: 0 });
  expect(readLines(`${file}.missing.ndjson`)).toMatchObject([{ email: 'left@example.org' }]);
  rmSync(`${file}.missing.ndjson`);
  rmSync(`${file}.results.ndjson`);
  const args = ['-c', script.replace('--url "$URL"', `--url "$URL" --graphql-url ${proxy.url}`)];
  const run = async () => {
    const shell = spawn('bash', args, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    kill = () => process.kill(-Number(shell.pid), 'SIGKILL');
    let errors = '';
    shell.stderr.on('data', (text) => (errors += text));
    const [code] = await once(shell, 'close');
    return { code, errors };
  };
  expect(await run()).toMatchObject({ code: null });
  expect(await run()).toMatchObject({ code: 0, errors: expect.stringContaining('Continuing after line') });
  await proxy.stop();
  expect(Object.values(await listUsers()).map(({ email }) => email)).toEqual(
    expect.arrayContaining(['left@example.org', ...rows.map((_, at) => `crm.${at}@example.org`)]),
  );
  expect(Object.values(await listUsers())).toHaveLength(301);
  expect(readLines(`${file}.missing.ndjson`)).toMatchObject([{ email: 'left@example.org' }]);
});

test('the warehouse has all users after a crash, and after the log no longer reaches back', async () => {
  const directory = join(folder, 'warehouse');
  const script = warehouse.replace('DIR=warehouse', `DIR=${directory}`);
  /** Loads the files as the page describes. */
  const load = (): Copy => {
    let copy = new Map<string, Person>();
    for (const name of readdirSync(directory).toSorted()) {
      const lines = name.endsWith('.ndjson') ? readLines(join(directory, name)) : [];
      if (name.endsWith('.all.ndjson')) copy = new Map();
      if (name.endsWith('.deletions.ndjson')) continue;
      if (name.endsWith('.changes.ndjson'))
        for (const { id } of readLines(join(directory, `${name}.deletions.ndjson`))) copy.delete(id);
      for (const { id, name, email } of lines) copy.set(id, { name, email });
    }
    return Object.fromEntries(copy);
  };
  /** File names contain seconds. */
  const run = (how = (text: string) => text) => {
    const time = new Date(Date.now() + 1_000 * runs++).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    return runShell(how(script).replace('$(date -u +%Y%m%dT%H%M%SZ)', time));
  };
  let runs = 0;

  const [first, second] = await createUsers(['one', 'two']);
  expect(run()).toMatchObject({ status: 0 });
  expect(load()).toEqual(await listUsers());

  const since = new Date();
  await users.delete(String(first?.id));
  await users.update(String(second?.id), { email: 'one@example.org' });
  await createUsers(['three']);
  await waitForChanges(since, 3);
  // Crashes after the files are written, and before the position is.
  expect(run((text) => text.replace(/^mv .*$/m, 'kill -9 $$$$'))).toMatchObject({ signal: 'SIGKILL' });
  expect(run()).toMatchObject({ status: 0 });
  expect(load()).toEqual(await listUsers());

  const before = readFileSync(join(directory, 'since'), 'utf8');
  expect(run((text) => text.replaceAll('"$URL"', 'http://127.0.0.1:1')).status).toBe(1);
  expect(readFileSync(join(directory, 'since'), 'utf8')).toBe(before);

  await users.delete(String(second?.id));
  writeFileSync(join(directory, 'since'), '2020-01-01');
  expect(run()).toMatchObject({ status: 0 });
  expect(load()).toEqual(await listUsers());
});

test('the other service has all users after a crash at any request, and after its position expired', async () => {
  const [module, state] = [join(folder, 'follow.ts'), join(folder, 'state.json')];
  writeFileSync(module, program.replace('http://localhost:3000', service.url));
  const { follow }: { follow(file: string): Promise<void> } = await import(resolve(module));
  const readCopy = (): Copy => JSON.parse(readFileSync(state, 'utf8')).users;

  const names = Array.from({ length: 120 }, (_, at) => `user-${at}`);
  const created = await createUsers(names);
  for (let at = 0; at < 4; at++) {
    const since = new Date();
    await users.update(String(created[at]?.id), { name: 'Changed' });
    await users.delete(String(created[at + 10]?.id));
    await waitForChanges(since, 2);
    const { fetch } = globalThis;
    let requests = 0;
    vi.stubGlobal('fetch', (...args: Parameters<typeof fetch>) =>
      requests++ === at ? Promise.reject(new Error('crash')) : fetch(...args),
    );
    await follow(state).catch((error: Error) => expect(error.message).toBe('crash'));
    vi.unstubAllGlobals();
    await follow(state);
    expect(readCopy()).toEqual(await listUsers());
  }

  await users.delete(String(created[50]?.id));
  const stored = JSON.parse(readFileSync(state, 'utf8'));
  const [topic, , , ...position] = decodeJsonCursor(stored.position.after, z.array(z.unknown())) ?? [];
  const old = Date.now() - 3 * 24 * 3_600_000;
  const after = encodeCursor(JSON.stringify([topic, old, old, ...position]));
  writeFileSync(state, JSON.stringify({ ...stored, position: { after } }));
  await follow(state);
  expect(readCopy()).toEqual(await listUsers());
});
