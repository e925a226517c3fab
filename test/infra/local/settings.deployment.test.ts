import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findDynoxide } from '../../../infra/local/database/engine.ts';
import { localSettings, settings } from '../../../infra/settings/settings.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { copySources, writeEnvironments } from '../../setup/sources.ts';

const folder = copySources();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let data = '';
beforeEach(() => {
  data = mkdtempSync(join(folder, 'data-'));
});

async function start(settings: Record<string, unknown>, ...args: string[]): Promise<LocalService> {
  writeEnvironments(folder, { default: settings });
  const service = await startLocalService(['--data', data, ...args], {}, folder);
  onTestFinished(service.stop);
  return service;
}

function mint({ printed }: LocalService, ...args: string[]): string {
  const issuer = /--issuer (\S+)/.exec(printed())?.[1] ?? '';
  const script = ['infra/scripts/token.ts', '--issuer', issuer, ...args];
  return spawnSync(process.execPath, script, { encoding: 'utf8', cwd: folder }).stdout.trim();
}

const create = ({ url }: LocalService, token = '', email = 'ada@example.org') =>
  fetch(`${url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'Ada', email }),
  });

const list = ({ url }: LocalService, token: string) =>
  fetch(`${url}/v1/users`, { headers: { authorization: `Bearer ${token}` } });

test("with tokens, npm start applies the environment's scopes and groups, and npm run token requests them", async () => {
  const context = {
    readScope: 'team/read',
    writeScope: 'team/write',
    writeGroup: 'editors',
    alarmEmail: 'a@b.example',
  };
  const service = await start(context, '--auth');
  expect((await list(service, mint(service, '--scope', 'users:read'))).status).toBe(403);
  expect((await list(service, mint(service, '--scope', 'team/read'))).status).toBe(200);
  expect((await create(service, mint(service, '--group', 'readers'))).status).toBe(403);
  expect((await create(service, mint(service))).status).toBe(201);
  expect(service.printed()).toMatch(/^ {2}Settings readScope, writeScope, writeGroup: as in the environment default$/m);
  expect(service.printed()).toMatch(
    /^ {2}Ignored {2}alarmEmail of the environment default: see infra\/local\/README\.md$/m,
  );
});

test("npm run dev gives tokens with the environment's groups to npm run token and to the console", async () => {
  const service = await start({ groupsClaim: 'roles', writeGroup: 'editors' }, '--auth', '--reload');
  expect((await create(service, mint(service))).status).toBe(201);
  const response = await fetch(`${service.url}/sign-in?write`, { method: 'POST', headers: { origin: service.url } });
  const { access_token } = (await response.json()) as { access_token: string };
  expect((await create(service, access_token, 'grace@example.org')).status).toBe(201);
  expect(await (await fetch(`${service.url}/console.json`)).json()).toMatchObject({
    auth: { hasDeveloperTokens: true },
  });
});

test('without tokens, scopes and groups are ignored and listed as such', async () => {
  const service = await start({ writeGroup: 'editors' });
  expect((await create(service)).status).toBe(201);
  expect(service.printed()).toContain('Ignored  writeGroup of the environment default');
  expect(service.printed()).not.toContain('Settings');
});

test('npm start applies corsOrigins, and both limits of maxStreams', async () => {
  const service = await start({ corsOrigins: ['https://app.example'], maxStreams: 2, maxStreamsPerCaller: 1 });
  const preflight = await fetch(`${service.url}/v1/users`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
  const subscribe = async () => {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: '{"query":"subscription { userChanged { kind } }"}',
    });
    onTestFinished(() => response.body?.cancel());
    return response.status;
  };
  expect([await subscribe(), await subscribe()]).toEqual([200, 429]);
});

describe.runIf(findDynoxide({ host: '127.0.0.1', port: 1 }))('the change log', () => {
  /** Days until each log entry expires. */
  function readRetention(): number[] {
    const database = new DatabaseSync(join(data, 'users.db'), { timeout: 10_000 });
    try {
      const rows = database
        .prepare(`SELECT item_json FROM users WHERE pk LIKE '%CHANGES#%#USER#%' AND item_json LIKE '%expiresAt%'`)
        .all() as { item_json: string }[];
      return rows.map(({ item_json }) =>
        Math.round((JSON.parse(item_json).expiresAt.N - Date.now() / 1000) / (24 * 3_600)),
      );
    } finally {
      database.close();
    }
  }

  test('keeps changes for historyDays', async () => {
    const service = await start({ historyDays: 30 });
    await create(service);
    await expect.poll(readRetention).toEqual([30]);
  });

  test('keeps no changes if nothing reads them', async () => {
    const service = await start({ maxStreams: 0 });
    await create(service);
    const isConsumed = () => {
      const { shards } = JSON.parse(readFileSync(join(data, 'stream.json'), 'utf8'));
      return Object.keys(shards).length > 0;
    };
    await expect.poll(isConsumed).toBe(true);
    expect(readRetention()).toEqual([]);
  });
});

test.each([
  [{ historyDays: 0 }, /Environment default: The setting historyDays is 0; expected: 1 to 3650/],
  [{ histroyDays: 7 }, /Environment default: Unknown setting histroyDays; the settings are stackName, /],
])('npm start rejects the settings %j in one sentence', async (settings, message) => {
  await expect(start(settings)).rejects.toThrow(message);
});

test('npm start accepts an incomplete deployment-only setting', async () => {
  const service = await start({ auth: 'jwt' });
  expect(service.printed()).toContain('Ignored  auth of the environment default');
});

test('the variable ENVIRONMENT selects another environment', async () => {
  writeEnvironments(folder, { default: {}, staging: { stackName: 'Staging', corsOrigins: ['https://app.example'] } });
  const startWith = async (ENVIRONMENT: string) => {
    const service = await startLocalService(['--data', data], { ENVIRONMENT }, folder);
    onTestFinished(service.stop);
    return service;
  };
  const { printed } = await startWith('staging');
  expect(printed()).toContain('Settings corsOrigins: as in the environment staging');
  expect(printed()).toContain('Ignored  stackName of the environment staging');
  await expect(startWith('production')).rejects.toThrow(
    'Not started: Unknown environment production in the variable ENVIRONMENT; the environments are default, staging.',
  );
});

test("infra/local/README.md documents each setting's effect on npm start", () => {
  const [applied = '', others = ''] = readFileSync('infra/local/README.md', 'utf8').split('The others have no effect');
  const listNames = (text: string) =>
    text
      .split('\n')
      .flatMap((line) => [...(/^\| (`[^|]*)\|/.exec(line)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const local = ['fields', ...Object.keys(localSettings.shape)];
  expect(listNames(applied).sort()).toEqual(local.sort());
  const rest = Object.keys(settings.shape).filter((name) => !local.includes(name));
  expect(
    listNames(others)
      .filter((name) => name !== 'index')
      .sort(),
  ).toEqual(rest.sort());
});
