import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../../lib/client/client.ts';
import { startLocalService } from '../../../setup/local-service.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { IGNORE_TIMES, readResults, startCommand } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'return-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [data, file] = [join(folder, 'data'), join(folder, 'users.ndjson')];

async function runCommand(script: 'import' | 'export', args: string[]): Promise<string> {
  const { code, output, errors } = await startCommand(script, args).ended;
  if (code !== 0) throw new Error(errors);
  return output + errors;
}

test('a user imported after the service was killed keeps its posts, and the history continues', async () => {
  const first = await startLocalService(['--data', data]);
  const { users, posts } = createClient({ baseUrl: first.url });
  const user = await users.create(newPerson());
  for (const title of ['One', 'Two']) await posts.create({ authorId: user.id, title });
  await runCommand('export', ['--url', first.url, '--posts', file]);
  await users.delete(user.id);
  const exit = once(first.process, 'exit');
  first.process.kill('SIGKILL');
  await exit;

  await runCommand('import', ['--data', data, '--keep-ids', '--keep-times', file]);
  expect(readResults(file)).toEqual([{ line: 1, result: 'created', id: user.id }]);

  const second = await startLocalService(['--data', data]);
  try {
    const again = createClient({ baseUrl: second.url });
    const readVersions = async () =>
      (await Array.fromAsync(again.users.history(user.id))).map(({ kind, version }) => `${kind} ${version}`);
    // Waits until the stream has delivered the deletion.
    await expect.poll(readVersions, { timeout: 20_000 }).toEqual(['CREATED 3', 'DELETED 2', 'CREATED 1']);
    const titles = await Array.fromAsync(again.posts.list(user.id), ({ title }) => title);
    expect(titles.toSorted()).toEqual(['One', 'Two']);
    expect(await again.users.get(user.id)).toMatchObject({ name: user.name, version: 3 });
    const page = await again.users.page();
    expect({ ids: page.users.map(({ id }) => id), total: page.total }).toEqual({ ids: [user.id], total: 1 });
  } finally {
    await second.stop();
  }
});

test('an import reports skipped people, and imports them with --despite-erasure', async () => {
  const service = await startLocalService(['--data', data]);
  const { users, erasures } = createClient({ baseUrl: service.url });
  const user = await users.create(newPerson());
  await runCommand('export', ['--url', service.url, '--force', file]);
  await erasures.request(user.id);
  expect(await runCommand('import', ['--url', service.url, '--force', ...IGNORE_TIMES, file])).toContain('1 erased');
  await service.stop();

  const printed = await runCommand('import', ['--data', data, '--keep-ids', '--keep-times', '--force', file]);
  expect(printed).toContain('--despite-erasure');
  expect(readResults(file)).toContainEqual({ line: 2, result: 'erased', id: user.id });
  await runCommand('import', ['--data', data, '--keep-ids', '--keep-times', '--force', '--despite-erasure', file]);
  expect(readResults(file)).toContainEqual({ line: 2, result: 'created', id: user.id, despiteErasure: true });

  const again = await startLocalService(['--data', data]);
  const client = createClient({ baseUrl: again.url });
  expect(await client.users.get(user.id)).toMatchObject({ version: 3 });
  expect(await client.erasures.find(user.id)).toBe(null);
  await again.stop();
});
