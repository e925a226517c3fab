import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readSteps, runSteps } from './setup/documented-commands.ts';
import { type LocalService, startLocalService } from './setup/local-service.ts';
import { findCodeBlocks } from './setup/markdown.ts';

const readme = readFileSync('README.md', 'utf8');
const folder = mkdtempSync(join('node_modules', '.readme-'));
let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory']);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  return service.stop();
});

test('the commands of README.md and CONTRACT.md, one after the other, print what the pages show', () => {
  const steps = readSteps(readme + readFileSync('CONTRACT.md', 'utf8'));
  expect(steps.length).toBeGreaterThan(5);
  expect(runSteps(steps, service)).toEqual(steps);
});

test('the program of README.md finds the user that it changed, and follows the changes', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const file = join(folder, 'program.ts');
  const [program = ''] = findCodeBlocks(readme, 'ts');
  writeFileSync(
    file,
    program
      .replace("'user-management-client'", JSON.stringify(resolve('lib/client/client.ts')))
      .replace('http://localhost:3000', service.url),
  );
  await import(resolve(file));
  expect(log.mock.calls).toEqual([
    ['Grace Hopper', 'grace@example.com'],
    ['CREATED', 'Grace Murray'],
    ['UPDATED', 'Grace Hopper'],
  ]);
});
