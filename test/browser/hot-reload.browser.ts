import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../infra/local/database/engine.ts';
import { type LocalService, startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { openPage, type Screen } from './pages.ts';

const screen: Screen = { name: '1280', width: 1280, height: 800, colorScheme: 'light' };

const folder = mkdtempSync(join(tmpdir(), 'user-management-pages-'));
const copy = (source: string) => cpSync(source, join(folder, source), { recursive: true });

let browser: Browser;
let service: LocalService;
beforeAll(async () => {
  for (const source of ['functions', 'infra', 'lib', 'package.json', 'tsconfig.json']) copy(source);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  const options = ['--memory', '--reload', '--host', '127.1', '--port', `${await findFreePort()}`];
  [browser, service] = await Promise.all([startChromium(), startLocalService(options, {}, folder)]);
});
// Changed files are restored after each test, so that a retry starts from unchanged sources.
const saved = new Set<string>();
afterEach(() => {
  for (const file of saved) copy(file);
  saved.clear();
});
afterAll(async () => {
  await Promise.all([browser?.close(), service?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function save(file: string, find: string, replace: string) {
  saved.add(file);
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(find);
  writeFileSync(path, text.replace(find, replace));
}

test('a page applies saved sources and keeps typed text', async () => {
  await using opened = await openPage(browser, screen, `${service.url}/?user=new`);
  const { page } = opened;
  const name = page.getByLabel('Name', { exact: true });
  await name.pressSequentially('Ada');
  save('infra/web/console/user/user-panel.tsx', "'New user'", "'Somebody new'");
  await page.getByRole('heading', { name: 'Somebody new' }).waitFor();
  expect(await name.inputValue()).toBe('Ada');
  save('infra/web/console/console.css', '.header {', '.header { outline: 3px solid rgb(1, 2, 3);');
  await expect
    .poll(() => page.locator('.header').evaluate((header) => getComputedStyle(header).outlineColor))
    .toBe('rgb(1, 2, 3)');
  expect(await name.inputValue()).toBe('Ada');
  // `problems` would contain a warning of React if components conflicted.
  expect(opened.problems).toEqual([]);
  expect(service.printed()).not.toContain('Reloaded');
});

test('the other pages are served, too', async () => {
  await using opened = await openPage(browser, screen, `${service.url}/docs`);
  await opened.page.getByRole('heading', { name: 'User Management Service' }).waitFor();
  await opened.page.goto(`${service.url}/graphql`);
  await opened.page.locator('.graphiql-query-editor .CodeMirror').waitFor();
});
