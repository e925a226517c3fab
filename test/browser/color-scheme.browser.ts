import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { inspect, openPage, type Screen } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUsers } from './users.ts';

const screen: Screen = { name: '1280', width: 1280, height: 800, colorScheme: 'light' };

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService();

const open = (path = '/') => openPage(browser, screen, service.url + path);
const isDark = (page: Page) =>
  page.evaluate(() => document.documentElement.matches('[data-mantine-color-scheme=dark]'));
const readBackground = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
/** Finds the bar although GraphiQL's dialog hides it from screen readers. */
const isBarLight = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Pages of the service', includeHidden: true })
    .evaluate((bar) => getComputedStyle(bar).backgroundColor === 'rgb(255, 255, 255)');

test('the reference and GraphiQL use the color scheme chosen in the console', async () => {
  const [ada] = await createUsers(service.url, 3);
  await using opened = await open(`/?user=${ada?.id}`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Use dark colors' }).click();
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  expect(await isDark(page)).toBe(true);
  const surface = await readBackground(page, 'header.header');
  await inspect(opened, screen, 'console-chosen');
  await page.goto(`${service.url}/docs`);
  await page.getByRole('heading', { name: 'User Management Service' }).waitFor();
  expect(await isBarLight(page)).toBe(false);
  expect(await readBackground(page, 'body')).toBe(surface);
  await inspect(opened, screen, 'reference-chosen');
  await page.goto(`${service.url}/graphql`);
  await page.locator('body.graphiql-dark .CodeMirror').nth(3).waitFor();
  expect(await isBarLight(page)).toBe(false);
  expect(await readBackground(page, '.graphiql-container')).toBe(surface);
  await inspect(opened, screen, 'graphiql-chosen');
});

test('the console uses the color scheme chosen in the reference or GraphiQL', async () => {
  await using opened = await open('/docs');
  const { page } = opened;
  await page.getByRole('button', { name: 'Use dark colors' }).click();
  await expect.poll(() => isBarLight(page)).toBe(false);
  await page.goto(service.url);
  expect(await isDark(page)).toBe(true);
  await page.goto(`${service.url}/graphql`);
  await page.getByRole('button', { name: 'Open settings dialog' }).click();
  await page.getByRole('button', { name: 'System' }).click();
  await expect.poll(() => isBarLight(page)).toBe(true);
  await page.goto(service.url);
  expect(await isDark(page)).toBe(false);
  expect(opened.problems).toEqual([]);
});

test('all pages work although the browser blocks its storage', async () => {
  await using opened = await open('/openapi.json');
  const { page } = opened;
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document', 'SecurityError');
        },
      });
  });
  await page.goto(service.url);
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await page.goto(`${service.url}/docs`);
  await page.getByRole('heading', { name: 'User Management Service' }).waitFor();
  await page.goto(`${service.url}/graphql`);
  await page.locator('.CodeMirror').nth(3).waitFor();
});

test('GraphiQL works although the storage is full', async () => {
  await using opened = await open('/openapi.json');
  await opened.page.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded', 'QuotaExceededError');
    };
  });
  await opened.page.goto(`${service.url}/graphql`);
  await opened.page.locator('.CodeMirror').nth(3).waitFor();
});
