import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runToEnd, startLocalService } from '../../setup/local-service.ts';
import { copySources, writeEnvironments } from '../../setup/sources.ts';

/** Long, because the machine may be busy. */
const WAIT = { timeout: 120_000 };

const folder = copySources();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
writeEnvironments(folder, { default: { fields: { plan: { type: 'string' }, seats: { type: 'integer' } } } });

test('the start lists the fields of the environment', async () => {
  const service = await startLocalService(['--memory'], {}, folder);
  await expect.poll(service.printed, WAIT).toMatch(/^ {2}Fields {3}plan, seats$/m);
  await service.stop();
});

test('--fields uses the fields of another file', async () => {
  const fields = write('fields.json', { nickname: { type: 'string' } });
  const service = await startLocalService(['--memory', '--fields', fields], {}, folder);
  await expect.poll(service.printed, WAIT).toMatch(/^ {2}Fields {3}nickname$/m);
  await service.stop();
});

test('the backfill of a field that becomes searchable is logged', async () => {
  const fields = write('search.json', { nickname: { type: 'string', search: true } });
  const service = await startLocalService(['--memory', '--sample', '3', '--fields', fields], {}, folder);
  await expect
    .poll(service.warned, WAIT)
    .toMatch(/"event":"backfill ended","unique":\[\],"search":\[\{"name":"nickname","texts":20\}\],.*"users":3,/);
  await service.stop();
});

test('without declared fields, the start lists none', async () => {
  const service = await startLocalService();
  await expect.poll(service.printed, WAIT).toContain('Access');
  expect(service.printed()).not.toContain('Fields');
  await service.stop();
});

test.each([
  [{ email: { type: 'string' } }, /^Not started: A field cannot be named email: [^\n]+\.\n$/],
  [{ nick: { type: 'text' } }, /^Not started: The setting fields\.nick\.type is "text"; expected: [^\n]+\.\n$/],
  ['{"plan":{"type":"date"},"plan":{"type":"string"}}', /^Not started: The member plan must be given only once\.\n$/],
  ['{', /^Not started: Cannot read the fields in \S+faulty\.json: [^\n]+\n$/],
])('a service with the declarations %j prints one line and exits with 1', async (declared, line) => {
  const { code, output, errors } = await runToEnd([
    '--memory',
    '--port',
    '0',
    '--fields',
    write('faulty.json', declared),
  ]);
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(line);
});
