import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changeUser, createUser, createUsers, deleteUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

describe.each([
  { screen: screens[0], log: {}, days: true },
  { screen: screens[1], log: { CHANGE_LOG: 'off' }, days: false },
])('the activity of a service without streams, with $log', ({ screen, log, days }) => {
  const service = startServicePerTest([], { environment: { MAX_STREAMS: '0', ...log } });

  test('explains why changes are not live, and how long the service keeps them', async () => {
    if (!screen) throw new Error('There are two screens');
    const { id, email } = await createUser(service.url, 'Ada Lovelace');
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    const { page } = console;
    await page
      .getByRole('textbox', { name: 'Email' })
      .and(page.locator(`[value="${email}"]`))
      .waitFor();
    expect(await page.getByRole('tab', { name: 'History' }).count()).toBe(days ? 1 : 0);
    await console.openTab('Privacy');
    const button = page.getByRole('button', { name: 'Download the data' });
    await Promise.all([page.waitForEvent('download'), button.click()]);
    await console.clickButton('Close');
    await page.getByRole('status', { name: 'Changes: Not live' }).waitFor();
    await console.showActivity('Changes');
    await page.getByText('This service sends no changes while they happen').waitFor();
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
    await console.inspect(`console-not-live-${days ? 'kept' : 'none'}`);
    await console.showActivity('By day');
    const shown = days ? page.getByText('1 change, earliest first.') : page.getByText('This service keeps no changes.');
    await shown.waitFor();
    await console.clickButton('Hide activity');
    expect(await page.getByRole('button', { name: 'Filter by Changed' }).count()).toBe(days ? 1 : 0);
  });
});

describe.each(screens)('the activity in the console at $name', (screen) => {
  // Streams end early, so the console must reconnect.
  const service = startServicePerTest([], {
    environment: { STREAM_SECONDS: '2' },
    fill: (url) => createUsers(url, 25),
  });
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);

  test('follows changes across reconnections and offers to show new users', async () => {
    await using console = await open();
    await console.showActivity('Changes');
    for (const name of ['First', 'Second', 'Third']) {
      await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
      await createUser(service.url, `${name} ${screen.name}`);
      await console.page.getByRole('button', { name: `${name} ${screen.name}` }).waitFor();
      await console.waitForNextStream();
    }
    expect(await console.page.getByRole('list', { name: 'Changes, latest first' }).getByRole('listitem').count()).toBe(
      3,
    );
    await console.inspect('console-changes');
    // On a phone, the activity covers the list.
    await console.clickButton('Hide activity');
    await console.page.getByRole('region', { name: 'Activity' }).locator(':focus').waitFor();
    await console.clickButton('3 new: show');
    await console.page.locator('h1:focus').waitFor();
    await expect.poll(async () => (await console.names())[0]).toBe(`Third ${screen.name}`);
    // The button also disappears once a loaded list contains the new user.
    await console.page.getByRole('button', { name: 'Page 2 of 2' }).click();
    await createUser(service.url, `Fourth ${screen.name}`);
    const newUsers = console.page.getByRole('button', { name: '1 new: show' });
    await newUsers.waitFor();
    await expect.poll(() => console.page.getByTestId('total').textContent()).toBe('29 in total');
    await console.page.getByLabel('Order').selectOption('Oldest first');
    await expect.poll(async () => (await console.names())[0]).toBe('Ada Lovelace 1');
    expect(await newUsers.count()).toBe(1);
    await console.page.getByRole('button', { name: 'Page 2 of 2' }).click();
    await newUsers.waitFor({ state: 'detached' });
  });

  testOnce(screen)('misses no change between the first list and the first stream', async () => {
    await using console = await open();
    const release = await console.holdAnswers('**/graphql', async () => void (await console.page.reload()));
    await console.waitForList();
    await createUser(service.url, 'Unseen');
    expect(await console.names()).not.toContain('Unseen');
    release();
    await expect.poll(() => console.names()).toContain('Unseen');
  });

  testOnce(screen)('misses no change before the first stream although the first list arrives later', async () => {
    await using console = await open();
    const answered = Promise.withResolvers<void>();
    const holdAnswer = async (route: Route) => {
      const response = await route.fetch();
      await createUser(service.url, 'Unread');
      await answered.promise;
      await route.fulfill({ response });
    };
    await console.page.route('**/v1/users?*page=1*', holdAnswer, { times: 1 });
    await console.page.reload();
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    answered.resolve();
    await expect.poll(() => console.names()).toContain('Unread');
  });

  testOnce(screen)('misses no change while it is paused or hidden', async () => {
    await using console = await open();
    await console.showActivity('Changes');
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await console.clickButton('Pause');
    await createUser(service.url, `Paused ${screen.name}`);
    await console.clickButton('Resume');
    await console.page.getByRole('button', { name: `Paused ${screen.name}` }).waitFor();
    await console.setVisibility('hidden');
    await createUser(service.url, `Hidden ${screen.name}`);
    await console.setVisibility('visible');
    await console.page.getByRole('button', { name: `Hidden ${screen.name}` }).waitFor();
    expect(await console.page.getByRole('list', { name: 'Changes, latest first' }).getByRole('listitem').count()).toBe(
      2,
    );
    await console.page.clock.setFixedTime(Date.now() + 86_400_000);
    await createUser(service.url, `Next day ${screen.name}`);
    await console.page.getByRole('button', { name: `Next day ${screen.name}` }).waitFor();
    const times = await console.page
      .getByRole('list', { name: 'Changes, latest first' })
      .getByRole('listitem')
      .locator('time')
      .allTextContents();
    expect(times.filter((time) => time.includes(', '))).toHaveLength(3);
  });

  testOnce(screen)('reads the list again after it was hidden for longer than changes are kept', async () => {
    await using console = await open();
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await console.setVisibility('hidden');
    await createUser(service.url, `Missed ${screen.name}`);
    let isTooOld = true;
    await console.page.route('**/graphql', (route) => {
      if (!isTooOld || !route.request().postData()?.includes('"after"')) return route.fallback();
      isTooOld = false;
      const error = { message: 'after is too old', extensions: { code: 'BAD_USER_INPUT' } };
      return route.fulfill({ status: 400, json: { errors: [error] } });
    });
    await console.setVisibility('visible');
    await expect.poll(async () => (await console.names())[0]).toBe(`Missed ${screen.name}`);
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    expect(isTooOld).toBe(false);
  });

  testOnce(screen)('shows why it cannot follow changes, and resumes by click', async () => {
    await using console = await open();
    await console.showActivity('Changes');
    await console.page.route('**/graphql', (route) => route.fulfill({ status: 403, json: { message: 'Forbidden' } }));
    await console.page.getByRole('status', { name: 'Changes: Stopped' }).waitFor();
    await console.page.getByText('Forbidden').waitFor();
    await console.page.unroute('**/graphql');
    await console.clickButton('Resume');
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  });

  test('shows what each request consumed, and copies it', async () => {
    await using console = await open();
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.becomeDeveloper();
    // Pauses the changes: a reconnection would add a request, and move the others away from the pointer.
    await console.showActivity('Changes');
    await console.clickButton('Pause');
    await console.showActivity('Requests');
    const call = console.page.getByRole('button', { name: /^GET/ }).first();
    expect(await call.textContent()).toMatch(/GET \/v1\/users.*\d+ ms, DynamoDB: \d+ requests, [\d.]+ RCU200/);
    await call.click();
    await console.inspect('console-requests');
    for (const [format, text] of [
      ['curl', `curl '${service.url}/v1/users?include=times&page=1&limit=20`],
      ['client', 'await client.users.page('],
      ['fetch', 'await fetch('],
    ] as const) {
      await console.page
        .getByRole('button', { name: /^(Copy GET|Copied)/ })
        .first()
        .click();
      await console.page.getByRole('menuitem', { name: `Copy as ${format}` }).click();
      await expect.poll(() => console.page.evaluate(() => navigator.clipboard.readText())).toContain(text);
    }
  });

  test('shows who changed what on a day, filtered by person, with links to histories', async () => {
    const { id } = await createUser(service.url, `Busy ${screen.name}`);
    await changeUser(service.url, id, { name: `Busier ${screen.name}` });
    const gone = await createUser(service.url, `Gone ${screen.name}`);
    await deleteUser(service.url, gone.id);
    await using console = await open();
    const { page } = console;
    await page.getByRole('tab', { name: 'Changes' }).focus();
    await page.keyboard.press('ArrowRight');
    const rows = page.getByRole('list', { name: 'Changes of the day' }).getByRole('listitem');
    // A write appears in the change log after about a second.
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Read again' }).click();
        return rows.count();
      })
      .toBe(29);
    const readRow = async (at: number) => (await rows.nth(at).innerText()).replaceAll(/\s+/g, ' ');
    expect(await readRow(26)).toMatch(/^\d\d:\d\d Updated Busier \d+ Name changed by anonymous$/i);
    expect(await readRow(28)).toMatch(/^\d\d:\d\d Deleted Gone \d+ by anonymous$/i);
    await console.inspect('console-day');
    await page.getByLabel('Person').selectOption('anonymous');
    expect(await rows.count()).toBe(29);
    await page.getByRole('button', { name: 'Yesterday' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('0 changes, earliest first.').waitFor();
    const today = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
    await page.getByLabel('Day', { exact: true }).fill(today);
    await rows.nth(28).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await page.getByRole('heading', { name: `Gone ${screen.name}`, exact: true }).waitFor();
  });

  test('shows requests only in the developer view', async () => {
    await using console = await open();
    const { page } = console;
    await expect.poll(() => console.names()).toHaveLength(20);
    expect(await page.getByRole('tab', { name: 'Requests' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Account' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('May erase people').waitFor();
    await console.inspect('account');
    await page.getByRole('menuitemcheckbox', { name: 'Show requests' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Show requests', checked: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Requests' }).waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'Requests' }).waitFor();
  });

  test('says why users cannot be listed, and lists them when the service is back', async () => {
    await using console = await open('/?user=new');
    await console.page.route(/graphql|users\?/, (route) => route.abort());
    await console.page.reload();
    await console.page.getByText('The service cannot be reached').waitFor();
    await console.clickButton('Close');
    await console.inspect('console-error');
    await console.page.unroute(/graphql|users\?/);
    await expect.poll(() => console.names()).toHaveLength(20);
  });
});
