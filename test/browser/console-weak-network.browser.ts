import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createGroup, createUser, readUser, renameUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService();
const withGroups = startSharedService([], { environment: { GROUPS: 'on' } });
const [screen] = screens as [Screen];
const open = (path: string) => ConsolePage.open(browser, screen, `${service.url}${path}`);
const nameField = ({ page }: ConsolePage) => page.getByLabel('Name', { exact: true });

test('a network with a delay of two seconds loses nothing that is typed before, during and after a save', async () => {
  const [ada, bob] = [await createUser(service.url, 'Slow Ada'), await createUser(service.url, 'Slow Bob')];
  await using console = await open(`/?user=${ada.id}`);
  const { page } = console;
  await nameField(console).waitFor();
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 2000, downloadThroughput: 60_000, uploadThroughput: 60_000 },
  });
  await nameField(console).fill('Slow Ada 1');
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type('2');
  await console.search.fill('slow');
  await page.getByRole('link', { name: bob.name }).click();
  await expect.poll(() => nameField(console).inputValue()).toBe(bob.name);
  await nameField(console).fill('Slow Bob 1');
  await console.openTab('Posts');
  await page.getByLabel('Title of the new post').fill('Typed on a train');
  await page.getByText('Saved Slow Ada 1. Version 2.').waitFor();
  await page.getByRole('link', { name: 'Slow Ada 1' }).click();
  await expect.poll(() => nameField(console).inputValue()).toBe('Slow Ada 12');
  await console.clickButton('Save');
  await page.getByRole('link', { name: 'Slow Bob' }).click();
  await page.getByText('Saved Slow Ada 12. Version 3.').waitFor();
  await expect.poll(() => nameField(console).inputValue()).toBe('Slow Bob 1');
  await console.openTab('Posts');
  await expect.poll(() => page.getByLabel('Title of the new post').inputValue()).toBe('Typed on a train');
  await page.reload();
  await expect.poll(() => page.getByLabel('Title of the new post').inputValue()).toBe('Typed on a train');
  expect(await console.search.inputValue()).toBe('slow');
  expect(await readUser(service.url, ada.id)).toMatchObject({ name: 'Slow Ada 12' });
  expect(await readUser(service.url, bob.id)).toMatchObject({ name: bob.name });
});

test('a double click sends a change once, and text typed during a save of a group stays', async () => {
  const { id } = await createGroup(withGroups.url, 'Slow group');
  await using console = await ConsolePage.open(browser, screen, withGroups.url);
  const { page } = console;
  await page.goto(`${withGroups.url}/?groups=${id}`);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.postData()?.includes('updateGroup')) sent.push(request.url());
  });
  await console.clickButton('Edit');
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.fill('Slow group 1');
  const answer = await console.holdAnswers('**/graphql', () =>
    page.getByRole('button', { name: 'Save' }).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    }),
  );
  await name.press('End');
  await page.keyboard.type('2');
  answer();
  await page.getByText('Saved Slow group 1').waitFor();
  expect(await name.inputValue()).toBe('Slow group 12');
  expect(sent).toHaveLength(1);
  await console.clickButton('Save');
  await page.getByText('Saved Slow group 12').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

/** Forwards connections. After `sleep`, open streams stay silent without an end, and other connections are closed. */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const pairs: { inner: Socket; outer: Socket; isStream: boolean }[] = [];
  const server = createServer((outer) => {
    const pair = { inner: connect(Number(port), hostname), outer, isStream: false };
    pairs.push(pair);
    pair.inner.on('data', (data) => {
      pair.isStream ||= data.includes('text/event-stream');
    });
    outer.pipe(pair.inner).pipe(outer);
    for (const socket of [pair.inner, outer]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = ({ inner, outer }: (typeof pairs)[number]) => [inner, outer].map((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // A listening TCP server has an address.
    sleep() {
      for (const pair of pairs)
        if (pair.isStream) pair.inner.unpipe(pair.outer);
        else close(pair);
      return pairs.some(({ isStream }) => isStream);
    },
    [Symbol.dispose]() {
      server.close();
      for (const pair of pairs) close(pair);
    },
  };
}

test('a laptop that slept for eight hours keeps typed text, and shows what others have changed', async () => {
  const { id } = await createUser(service.url, 'Sleeper');
  const other = await createUser(service.url, 'Other Sleeper');
  using proxy = await startProxy(service.url);
  await using console = await ConsolePage.open(browser, screen, proxy.url);
  const { page } = console;
  await page.clock.install();
  await page.goto(`${proxy.url}/?user=${id}`);
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await nameField(console).fill('Sleeper, typed');
  expect(proxy.sleep()).toBe(true);
  await renameUser(service.url, id, 'Renamed meanwhile');
  await renameUser(service.url, other.id, 'Other renamed');
  await page.clock.fastForward('08:00:00');
  await page.getByText('changed elsewhere to version 2 while you were typing').waitFor();
  await page.getByRole('link', { name: 'Other renamed' }).waitFor();
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  expect(await nameField(console).inputValue()).toBe('Sleeper, typed');
  await console.clickButton('Save');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Renamed meanwhile').first().waitFor();
  await dialog.getByText('Sleeper, typed').first().waitFor();
});
