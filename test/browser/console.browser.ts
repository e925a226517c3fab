import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changePost, createPosts, createUser, createUsers, deleteUser, renameUser, type User } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

describe.each(screens)('the console without users at $name', (screen) => {
  const service = startServicePerTest();

  test('offers to show the first user created elsewhere, unless a loading list shows it', async () => {
    await using console = await ConsolePage.open(browser, screen, service.url);
    await console.page.getByText('No users yet').waitFor();
    await console.inspect('console-empty');
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    const answer = await console.holdAnswers('**/v1/users?*', async () => {
      await createUsers(service.url, 1);
    });
    const newUsers = console.page.getByRole('button', { name: '1 new: show' });
    await newUsers.waitFor();
    answer();
    await console.page.getByRole('link', { name: 'Ada Lovelace 1' }).waitFor();
    expect(await console.page.getByTestId('total').textContent()).toBe('1 in total');
    await newUsers.waitFor({ state: 'detached' });
  });
});

describe.each(screens)('the console at $name', (screen) => {
  let users: User[];
  const service = startServicePerTest([], {
    fill: async (url) => {
      users = await createUsers(url, 45);
    },
  });
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
  const pickUser = () => users.pop() as User;

  test('lists users newest first or oldest first, with page numbers to the last page', async () => {
    await using console = await open();
    await expect.poll(() => console.names()).toHaveLength(20);
    expect((await console.names())[0]).toBe('Alan Turing 45');
    await console.inspect('console-list');
    await console.page.getByRole('link', { name: 'Barbara Liskov 29' }).scrollIntoViewIfNeeded();
    const readScroll = () => console.list.evaluate((area) => area.scrollTop);
    expect(await readScroll()).toBeGreaterThan(0);
    await console.page.getByRole('button', { name: 'Page 2 of 3' }).click();
    await expect.poll(readScroll).toBe(0);
    await console.page.getByRole('button', { name: 'Page 3 of 3' }).click();
    await expect.poll(() => console.names()).toHaveLength(5);
    expect(new URL(console.page.url()).search).toBe('?page=3');
    await console.page.getByLabel('Order').selectOption('Oldest first');
    await expect.poll(async () => (await console.names())[0]).toBe('Ada Lovelace 1');
    await console.page.goBack();
    await expect.poll(() => console.names()).toHaveLength(5);
    expect(await console.page.getByTestId('total').textContent()).toBe('45 in total');
  });

  test('switches the color scheme by click and keeps it', async () => {
    await using console = await open();
    const readBackground = () => console.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [before, other] = [await readBackground(), screen.colorScheme === 'light' ? 'dark' : 'light'];
    // On a phone, the switch is in the account menu.
    const isPhone = screen.width < 768;
    const findSwitch = async (scheme: string) => {
      if (isPhone) await console.page.getByRole('button', { name: /^Account/ }).click();
      return console.page.getByRole(isPhone ? 'menuitem' : 'button', { name: `Use ${scheme} colors` });
    };
    await (await findSwitch(other)).click();
    await expect.poll(readBackground).not.toBe(before);
    const chosen = await readBackground();
    await console.page.reload();
    await (await findSwitch(screen.colorScheme)).waitFor();
    expect(await readBackground()).toBe(chosen);
  });

  test('a page after the last links to the first', async () => {
    await using console = await open('/?page=9');
    await console.page.getByText('There are only 3 pages.').waitFor();
    await console.inspect('console-no-page');
    await console.page.getByRole('button', { name: 'Go to the first page' }).click();
    await expect.poll(() => console.names()).toHaveLength(20);
  });

  test("edits a user, shows the API's issues beside their fields, and undoes the change", async () => {
    const user = pickUser();
    await using console = await open(`/?user=${user.id}`);
    const name = console.page.getByLabel('Name', { exact: true });
    await name.fill('');
    await console.clickButton('Save');
    await console.page.getByText('must not be empty').waitFor();
    await console.inspect('console-invalid');
    await name.fill('Ada King');
    await console.clickButton('Save');
    await console.page.getByText('Saved Ada King. Version 2.').waitFor();
    await console.inspect('console-saved');
    await console.clickButton('Undo');
    await console.page.getByText('Undone: Saved Ada King').waitFor();
    await expect.poll(() => name.inputValue()).toBe(user.name);
  });

  test('keeps unsaved changes while another user is open', async () => {
    const [user, other] = [pickUser(), pickUser()];
    await using console = await open(`/?user=${user.id}`);
    const name = console.page.getByLabel('Name', { exact: true });
    await expect.poll(() => name.inputValue()).toBe(user.name);
    await name.fill('Not yet saved');
    await console.clickButton('Close');
    await console.page.getByRole('row').filter({ hasText: user.name }).getByText('Unsaved', { exact: true }).waitFor();
    await console.page.getByRole('link', { name: other.name, exact: true }).click();
    await expect.poll(() => name.inputValue()).toBe(other.name);
    await console.inspect('console-unsaved');
    await console.clickButton('Close');
    await console.page.getByRole('link', { name: user.name, exact: true }).click();
    await expect.poll(() => name.inputValue()).toBe('Not yet saved');
    await console.clickButton('Discard changes');
    await expect.poll(() => name.inputValue()).toBe(user.name);
    await console.page.getByText('Unsaved', { exact: true }).waitFor({ state: 'detached' });
  });

  test('shows both versions after a concurrent change, and saves the choice', async () => {
    const user = pickUser();
    await using console = await open(`/?user=${user.id}`);
    const name = console.page.getByLabel('Name', { exact: true });
    await expect.poll(() => name.inputValue()).toBe(user.name);
    await name.fill('My name');
    await renameUser(service.url, user.id, 'Their name');
    await console.page.getByText('was changed elsewhere to version 2').waitFor();
    await console.clickButton('Save');
    await console.page.getByRole('dialog', { name: 'This user has changed' }).waitFor();
    await console.page.getByRole('radio', { name: 'Their name' }).waitFor();
    await console.inspect('console-conflict');
    await console.page.keyboard.press('Escape');
    await expect.poll(() => console.readFocus()).toBe('Save');
    await console.page.keyboard.press('Enter');
    await console.clickButton('Save as version 3');
    await console.page.getByText('Saved My name. Version 3.').waitFor();
    await console.page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => name.inputValue()).toBe('My name');
    expect(await console.page.getByLabel('User', { exact: true }).getByRole('alert').count()).toBe(0);
  });

  test('creates a user, writes and publishes a post, and deletes the user', async () => {
    await using console = await open('/?page=2');
    await console.clickButton('New user');
    await console.clickButton('Create');
    await console.page.getByText('must be an email address').waitFor();
    await console.inspect('console-new');
    await console.page.getByLabel('Name', { exact: true }).fill('Radia Perlman');
    await console.page.getByLabel('Email', { exact: true }).fill(`radia-${screen.name}@example.org`);
    await console.clickButton('Create');
    await console.page.getByText('Created Radia Perlman').waitFor();
    await expect.poll(() => console.page.getByTestId('total').textContent()).toBe('46 in total');
    await console.openTab('Posts');
    await console.page.getByLabel('Title of the new post').fill('Spanning trees');
    await console.clickButton('Add');
    await console.page.getByText('Draft').waitFor();
    await console.clickButton('Actions for Spanning trees');
    await console.inspect('console-post-menu');
    await console.page.getByRole('menuitem', { name: /Publish/ }).click();
    await console.page.getByText(/^Published/).waitFor();
    await console.inspect('console-posts');
    expect(await console.page.getByText('new: show').count()).toBe(0);
    await console.openTab('Profile');
    await console.clickButton('Delete user');
    await console.page.getByText('Deleted Radia Perlman').waitFor();
    expect(await console.names()).not.toContain('Radia Perlman');
  });

  testOnce(screen)('publishes a scheduled post early', async () => {
    const { id: authorId } = await createUser(service.url, 'Author of Tomorrow');
    const [id] = await createPosts(service.url, authorId, 1);
    await changePost(service.url, 'publishPost', { id, publishedAt: '2125-01-01T12:00:00Z' });
    await using console = await open(`/?user=${authorId}&tab=posts`);
    await console.page.getByText(/^Scheduled for Jan 1, 2125/).waitFor();
    await console.clickButton('Actions for Post 1');
    await console.page.getByRole('menuitem', { name: 'Publish now' }).click();
    await console.page.getByText('Published just now').waitFor();
    await deleteUser(service.url, authorId);
  });
});
