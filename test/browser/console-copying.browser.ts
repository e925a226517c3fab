import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService([]);
const screen = screens[0] ?? expect.unreachable();

test('every copy button reports that plain HTTP has no clipboard', async () => {
  const { id } = await createUser(service.url, 'Copied');
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
  const { page } = console;
  await page.evaluate(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
  const expectFailure = async (what: string) => {
    const notice = page.getByRole('alert').filter({ hasText: `The browser does not let the page copy ${what}` });
    await notice.waitFor();
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
  };
  await console.clickButton('Copy the id');
  await expectFailure('the id');
  await console.clickButton('Copy the id');
  await expectFailure('the id');
  await console.clickButton('Close');
  await page.getByRole('checkbox', { name: 'Select Copied' }).click();
  await console.clickButton('Copy ids');
  await expectFailure('the ids');
  await console.clickButton('Connect');
  await console.clickButton('Copy the address of /graphql');
  await expectFailure('the address of /graphql');
  await page.keyboard.press('Escape');
  await console.becomeDeveloper();
  await console.showActivity('Requests');
  await page.getByRole('button', { name: /^GET/ }).first().click();
  await page
    .getByRole('button', { name: /^Copy GET/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click();
  await expectFailure('the request');
});
