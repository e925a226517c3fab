import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { inspect, openPage, screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

test('without a token, GraphiQL redirects to the sign-in and returns with its tabs', async () => {
  const [screen] = screens;
  if (!screen) throw new Error('There is no screen');
  const service = await startLocalService(['--memory', '--auth']);
  try {
    await using opened = await openPage(browser, screen, `${service.url}/graphql`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    await expect.poll(() => page.locator('.CodeMirror').count()).toBe(4);
    await openTab(page, 'CreateUser');
    await run(page);
    await expect.poll(() => readResponse(page)).toContain('"version": 1');
    await page.evaluate(() => localStorage.setItem('access-token', 'rejected'));
    await page.reload();
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    await expect.poll(() => page.locator('.CodeMirror').count()).toBe(4);
    await run(page);
    await expect.poll(() => readResponse(page)).toContain('"version": 1');
    // The console must not redirect to another site, which would receive the token.
    await page.goto(`${service.url}/?return=//example.org`);
    await page.getByRole('heading', { name: 'Users' }).waitFor();
  } finally {
    await service.stop();
  }
});

const openTab = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const run = (page: Page) => page.getByRole('button', { name: /^Execute query/ }).click();
/** Reads the text from the editor, because the DOM contains only the visible lines. */
const readEditor = (page: Page, parent: string): Promise<string> =>
  page
    .locator(`${parent} .CodeMirror`)
    .first()
    .evaluate((editor) => Object(editor).CodeMirror.getValue());
const readResponse = (page: Page) => readEditor(page, '.result-window');

describe.each(screens)('GraphiQL at $name', (screen) => {
  const service = startServicePerTest();

  /** Waits for four editors, which load one after the other. */
  async function open() {
    const opened = await openPage(browser, screen, `${service.url}/graphql`);
    await expect.poll(() => opened.page.locator('.CodeMirror').count()).toBe(4);
    return opened;
  }

  test('creates a post on an empty table, then users repeatedly, and queries them', async () => {
    await using opened = await open();
    const { page } = opened;
    await openTab(page, 'CreatePost');
    await expect.poll(() => readEditor(page, '.graphiql-editor-tool')).toContain('{{newestUserId}}');
    await run(page);
    await expect.poll(() => readResponse(page)).toContain('"name": "Ada Lovelace"');
    await openTab(page, 'CreateUser');
    for (let times = 0; times < 2; times += 1) {
      await run(page);
      await expect.poll(() => readResponse(page)).toContain('"version": 1');
    }
    await openTab(page, 'UsersWithPosts');
    await run(page);
    await expect.poll(() => readResponse(page)).toContain('"totalCount": 3');
    await inspect(opened, screen, 'graphiql');
  });

  test('a subscription shows the events since it was opened', async () => {
    await using opened = await open();
    const { page } = opened;
    const connected = page.waitForResponse(
      (response) => response.headers()['content-type']?.startsWith('text/event-stream') ?? false,
    );
    await openTab(page, 'UserChanges');
    await run(page);
    await connected;
    await createUser(service.url, `First ${screen.name}`);
    await expect.poll(() => readResponse(page)).toContain(`First ${screen.name}`);
    await createUser(service.url, `Second ${screen.name}`);
    await expect.poll(() => readResponse(page)).toContain('"received": 2');
    expect(await readResponse(page)).toContain(`First ${screen.name}`);
    await inspect(opened, screen, 'graphiql-subscription');
  });

  testOnce(screen)('each browser tab keeps its text, and a new one starts with the latest', async () => {
    await using opened = await open();
    const { page } = opened;
    const type = async (each: Page, text: string) => {
      await each.locator('.graphiql-query-editor .CodeMirror').click();
      await each.keyboard.press('Control+a');
      await each.keyboard.type(text);
    };
    const openAnother = async () => {
      const another = await page.context().newPage();
      await another.goto(`${service.url}/graphql`);
      await expect.poll(() => another.locator('.CodeMirror').count()).toBe(4);
      return another;
    };
    const other = await openAnother();
    await type(page, '# first');
    await type(other, '# second');
    // Leaving the page stores the text at once, without GraphiQL's delay.
    await other.reload();
    await page.reload();
    await expect.poll(() => readEditor(page, '.graphiql-query-editor')).toBe('# first');
    await expect.poll(() => readEditor(other, '.graphiql-query-editor')).toBe('# second');
    await type(page, '# latest');
    await page.reload();
    const third = await openAnother();
    expect(await readEditor(third, '.graphiql-query-editor')).toBe('# latest');
  });

  testOnce(screen)('works when the storage is full', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.evaluate(() => {
      for (const storage of [localStorage, sessionStorage])
        for (let size = 6_000_000; size >= 1; size = Math.floor(size / 2))
          try {
            storage.setItem(`full-${size}`, 'x'.repeat(size));
          } catch {
            // The storage has no room for this text. The next one is half as long.
          }
    });
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('# typed into a full storage');
    await openTab(page, 'CreateUser');
    await run(page);
    await expect.poll(() => readResponse(page)).toContain('"version": 1');
    expect(opened.problems).toEqual([]);
    await page.reload();
    await expect.poll(() => page.locator('.CodeMirror').count()).toBe(4);
  });
});
