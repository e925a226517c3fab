import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../infra/local/database/engine.ts';
import { type LocalService, runToEnd, startLocalService } from '../../setup/local-service.ts';
import { findRunning, listDescendants } from '../../setup/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'user-management-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ADA = { name: 'Ada', email: 'ada@example.org' };
const create = ({ url }: LocalService) =>
  fetch(`${url}/v1/users`, {
    method: 'POST',
    body: JSON.stringify(ADA),
    headers: { 'content-type': 'application/json' },
  });
const list = async ({ url }: LocalService) => (await fetch(`${url}/v1/users`)).json();

describe('a service that cannot start prints one line and exits with 1', () => {
  const server = createServer();
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  const portInUse = () => String((server.address() as AddressInfo).port);

  const expectOneLine = ({ code, output, errors }: Awaited<ReturnType<typeof runToEnd>>, line: RegExp) => {
    expect({ code, output, lines: errors.split('\n').length }).toEqual({ code: 1, output: '', lines: 2 });
    expect(errors).toMatch(line);
  };

  test('if its port is in use', async () => {
    const port = portInUse();
    const line = new RegExp(`^Not started: Port ${port} of 127\\.0\\.0\\.1 is in use; choose another with --port\\n$`);
    expectOneLine(await runToEnd(['--memory', '--port', port]), line);
  });

  test('if an option is unknown', async () => {
    expectOneLine(
      await runToEnd(['--colour', 'red']),
      /^Not started: Unknown option '--colour'\. Usage: npm start -- /,
    );
  });

  test('if no DynamoDB responds at AWS_ENDPOINT_URL_DYNAMODB', async () => {
    const endpoint = `http://127.0.0.1:${await findFreePort()}`;
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
    const line = new RegExp(`^Not started: No DynamoDB responds at ${endpoint}: .+\n$`);
    expectOneLine(await runToEnd(['--port', '0'], environment), line);
  });

  test('if its folder cannot be written', async () => {
    expectOneLine(await runToEnd(['--port', '0', '--data', '/dev/null/data']), /^Not started: .*\/dev\/null/);
  });
});

describe('data', () => {
  test('in a folder survive a restart', async () => {
    const data = join(folder, 'kept');
    const first = await startLocalService(['--data', data]);
    const user = await (await create(first)).json();
    await first.stop();
    const second = await startLocalService(['--data', data]);
    expect(await list(second)).toEqual([user]);
    expect((await create(second)).status).toBe(409);
    await second.stop();
  });

  test('in memory are lost at a restart', async () => {
    const first = await startLocalService(['--memory']);
    expect((await create(first)).status).toBe(201);
    await first.stop();
    const second = await startLocalService(['--memory']);
    expect(await list(second)).toEqual([]);
    await second.stop();
  });
});

describe('a stopped service', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'exits with 0 on %s and leaves no process although a client keeps its connection',
    async (signal) => {
      const service = await startLocalService(['--memory']);
      const started = listDescendants(service.process.pid);
      expect(started.length).toBeGreaterThan(0);
      await fetch(`${service.url}/v1/users`);
      service.process.kill(signal);
      const [code] = await once(service.process, 'exit');
      expect(code).toBe(0);
      await expect.poll(() => findRunning(started), { timeout: 120_000 }).toEqual([]);
    },
  );

  test('leaves no process when it is killed', async () => {
    const service = await startLocalService(['--memory']);
    const started = listDescendants(service.process.pid);
    service.process.kill('SIGKILL');
    await expect.poll(() => findRunning(started), { timeout: 120_000 }).toEqual([]);
  });
});
