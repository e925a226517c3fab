import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSteps, runSteps } from '../../setup/documented-commands.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { findCodeBlocks } from '../../setup/markdown.ts';
import { supportTable } from '../../setup/support-table.ts';

const page = readFileSync('infra/own-fields/README.md', 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'own-fields-page-'));
let service: LocalService;
beforeAll(async () => {
  const declared = findCodeBlocks(page, 'json').map((setting) => JSON.parse(`{${setting}}`).fields);
  // Skips the blocks between, which are other examples.
  const [first, json] = [declared.at(0), declared.at(-1)];
  const file = join(folder, 'fields.json');
  writeFileSync(file, JSON.stringify({ ...first, ...json }));
  service = await startLocalService(['--memory', '--fields', file]);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

test('the commands of the page print the output that it shows', () => {
  const steps = readSteps(page);
  expect(steps.length).toBeGreaterThan(4);
  expect(runSteps(steps, service)).toEqual(steps);
});

test('its ordinary table is the tested one', () => {
  const declared = findCodeBlocks(page, 'json').map((setting) => JSON.parse(`{${setting}}`).fields);
  expect(declared).toContainEqual(supportTable);
});

test('its GraphQL query finds the user', async () => {
  const [query] = findCodeBlocks(page, 'graphql');
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  const user = { name: 'Ada Lovelace', nickname: 'Countess', plan: 'pro', birthday: null };
  expect(await response.json()).toEqual({ data: { userByNickname: user } });
});
