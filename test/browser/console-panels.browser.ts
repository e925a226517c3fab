import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import type { Screen } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser, eraseUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService();

const screen: Screen = { name: '1280x720', width: 1280, height: 720, colorScheme: 'light' };

test('the changes at full height leave the proof of an erasure its room', async () => {
  const { id } = await createUser(service.url, 'Erased Eve');
  await eraseUser(service.url, id);
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
  const { page } = console;
  const proof = page.getByRole('region', { name: 'Erasure confirmation' });
  await proof.waitFor();
  await console.showActivity('Changes');
  await page.getByRole('separator', { name: 'Height of the list' }).press('Home');
  const changes = page.getByRole('region', { name: 'Activity' });
  await expect.poll(async () => (await changes.boundingBox())?.height).toBeGreaterThan(500);
  const panel = (await page.getByRole('complementary', { name: 'User' }).boundingBox()) ?? expect.unreachable();
  expect(panel.y + panel.height).toBe(720);
  expect(panel.height).toBeGreaterThan(650);
  const dock = (await changes.boundingBox()) ?? expect.unreachable();
  expect(dock.x + dock.width).toBeLessThanOrEqual(panel.x);
  const asked = (await proof.getByText('Asked by').boundingBox()) ?? expect.unreachable();
  const isOnTop = await proof.evaluate(
    (region, { x, y }) => region.contains(document.elementFromPoint(x + 5, y + 5)),
    asked,
  );
  expect(isOnTop).toBe(true);
  await console.inspect('console-panels');
});
