import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { findCodeBlocks } from '../../setup/markdown.ts';

const [start = '', ...programs] = findCodeBlocks(readFileSync('lib/client/README.md', 'utf8'), 'ts');
const folder = mkdtempSync(join('node_modules', '.programs-'));
let service: LocalService;

beforeAll(async () => {
  service = await startLocalService(['--memory'], { GROUPS: 'on' });
  const { users } = createClient({ baseUrl: service.url });
  await users.create({ name: 'Ada Lovelace', email: 'ada@example.org' });
  for (let at = 0; at < 15; at++) await users.create({ name: `User ${at}`, email: `user.${at}@example.org` });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
});

/** Adds imports, because programs after the first rely on the first one's imports. */
function createModule(text: string, result = ''): string {
  const imports = text.match(/^import .*$/gm) ?? [];
  const program = text.replaceAll(/^import .*$/gm, '');
  const source = `${imports.join('\n')}
import assert from 'node:assert/strict';
import { isChanged, isEmailTaken } from 'user-management-client';
${start}
export default async () => { ${program} ${result} };
void [assert, isChanged, isEmailTaken, users, posts, changes];`;
  return source
    .replaceAll("'user-management-client'", JSON.stringify(resolve('lib/client/client.ts')))
    .replaceAll('http://localhost:3000', service.url);
}

test('the page has fifteen programs, plus one each for a copy, groups, my group, own fields and signed requests', () => {
  expect(programs).toHaveLength(20);
});

test.each(programs.map((program, at) => [program.split('\n')[0], at] as const))('%s', async (_, at) => {
  const file = join(folder, `program-${at}.ts`);
  writeFileSync(file, createModule(programs[at] ?? ''));
  const { default: run } = await import(resolve(file));
  await run();
});

type Copy = { copy: Map<string, { name: string; email: string }>; synchronize(): Promise<void> };

test('a copy contains every change of concurrent clients', async () => {
  const program = programs.find((text) => text.includes('function synchronize()')) ?? '';
  const file = join(folder, 'copy.ts');
  writeFileSync(file, createModule(program, 'return { copy, synchronize };'));
  const { default: run }: { default: () => Promise<Copy> } = await import(resolve(file));
  const { copy, synchronize } = await run();
  const { users } = createClient({ baseUrl: service.url });
  const write = async (writer: number) => {
    for (let at = 0; at < 30; at++) {
      const user = await users.create({ name: `Writer ${writer}`, email: `writer.${writer}.${at}@example.org` });
      if (at % 2 === 0) await users.update(user.id, { name: `Changed ${at}` });
      if (at % 3 === 0) await users.delete(user.id);
    }
  };
  let isWriting = true;
  const writing = Promise.all([1, 2, 3, 4].map(write)).finally(() => {
    isWriting = false;
  });
  while (isWriting) await synchronize();
  await writing;
  const expected = new Map((await Array.fromAsync(users.list())).map(({ id, name, email }) => [id, { name, email }]));
  await expect
    .poll(async () => {
      await synchronize();
      return new Map([...copy].map(([id, { name, email }]) => [id, { name, email }]));
    })
    .toEqual(expected);
});
