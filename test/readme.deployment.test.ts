import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSteps, runSteps } from './setup/documented-commands.ts';
import { type LocalService, startLocalService } from './setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory']);
});
afterAll(() => service.stop());

test('the commands of the README print what it shows', () => {
  const steps = readSteps(readFileSync('README.md', 'utf8'));
  expect(steps.length).toBeGreaterThan(5);
  expect(runSteps(steps, service)).toEqual(steps);
});
