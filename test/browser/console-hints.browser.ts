import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers, deleteUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest(['--fields', 'test/setup/own-fields.json']);

const open = (screen: Screen, path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
const nameField = ({ page }: ConsolePage) => page.getByLabel(/^Name/);

describe.each(screens)('the console at $name', (screen) => {
  test('links the owner of a taken address and keeps the draft', async () => {
    const owner = await createUser(service.url, `Address Owner ${screen.name}`);
    await using console = await open(screen, '/?user=new');
    const { page } = console;
    await nameField(console).fill('Second Owner');
    await page.getByLabel(/^Email/).fill(owner.email.toUpperCase());
    await console.clickButton('Create');
    await page.getByText('Another user has this email').waitFor();
    const link = page.getByLabel('User', { exact: true }).getByRole('link', { name: owner.name });
    await link.waitFor();
    await console.inspect('console-taken-address');
    await link.click();
    await expect.poll(() => nameField(console).inputValue()).toBe(owner.name);
    await page.goBack();
    await expect.poll(() => nameField(console).inputValue()).toBe('Second Owner');
  });

  test('shows that a save is still pending', async () => {
    const { id } = await createUser(service.url, `Slow Save ${screen.name}`);
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).fill('Slowly saved');
    const answer = await console.holdAnswers('**/v1/users/*', () => console.clickButton('Save'));
    await console.page.getByRole('status').getByText('The service has not answered yet.').waitFor();
    await console.inspect('console-slow-save');
    answer();
    await console.page.getByText('Saved Slowly saved').waitFor();
    await console.page.getByText('The service has not answered yet.').waitFor({ state: 'detached' });
  });

  testOnce(screen)('links the owner of a taken value of a unique own field', async () => {
    const nickname = `taken-${screen.name}`;
    const owner = await createUser(service.url, `Nickname Owner ${screen.name}`, { nickname });
    const { id } = await createUser(service.url, `Nickname Taker ${screen.name}`);
    await using console = await open(screen, `/?user=${id}`);
    await console.page.getByRole('textbox', { name: 'Nickname' }).fill(nickname);
    await console.clickButton('Save');
    const error = console.page.getByRole('complementary', { name: 'User' });
    await error.getByRole('link', { name: owner.name }).waitFor();
  });

  testOnce(screen)("offers to download a deleted user's data, but none for an unknown id", async () => {
    const { id } = await createUser(service.url, `Deleted Data ${screen.name}`);
    await deleteUser(service.url, id);
    await using console = await open(screen, `/?user=${id}&tab=privacy`);
    await console.page.getByRole('button', { name: 'Download the data' }).waitFor();
    await console.page.goto(`${service.url}/?user=${id.replace(/.{4}$/, '0000')}&tab=privacy`);
    await console.page.getByText('There is no such user').waitFor();
    await console.page.getByText('Nothing is held about this user.').waitFor();
    expect(await console.page.getByRole('button', { name: 'Download the data' }).count()).toBe(0);
    await console.page.keyboard.press('Control+k');
    await console.page.getByRole('option', { name: 'Copy the id' }).waitFor();
    expect(await console.page.getByRole('option', { name: 'Download the data' }).count()).toBe(0);
  });

  testOnce(screen)('reports that the last hour has more changes than are shown', async () => {
    await createUsers(service.url, 230);
    await using console = await open(screen);
    await console.showActivity('Changes');
    await console.clickButton('Show the last hour');
    await console.page.getByText('Only the latest 200 of 230 changes are shown.').waitFor();
  });
});
