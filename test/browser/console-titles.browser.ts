import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { changePost, createPosts, createUser, deleteUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService();

describe.each(screens)('the title of a post that is edited, at $name', (screen) => {
  async function open(name: string) {
    const author = await createUser(service.url, `${name} ${screen.name}`);
    const [id = ''] = await createPosts(service.url, author.id, 1);
    const console = await ConsolePage.open(browser, screen, `${service.url}/?user=${author.id}&tab=posts`);
    const { page } = console;
    await console.clickButton('Edit Post 1');
    const title = page.getByLabel('Title', { exact: true });
    await title.press('End');
    await title.pressSequentially(' typed');
    return { author, id, console, page, title, [Symbol.asyncDispose]: () => console[Symbol.asyncDispose]() };
  }

  test('is kept across a reload and while another user is open', async () => {
    await using opened = await open('Keeper');
    const { author, console, page, title } = opened;
    await page.reload();
    await expect.poll(() => title.inputValue()).toBe('Post 1 typed');
    expect(await title.evaluate((input) => input === document.activeElement)).toBe(false);
    await page.goto(`${service.url}/docs`);
    await page.goBack();
    await expect.poll(() => title.inputValue()).toBe('Post 1 typed');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: author.name }).click();
    await page.getByRole('tab', { name: 'Posts unsaved' }).click();
    await title.press('End');
    await title.pressSequentially(' on');
    await page.keyboard.press('Enter');
    await page.getByText('Saved “Post 1 typed on”').waitFor();
    await page.reload();
    await page.getByTestId('post').getByText('Post 1 typed on').waitFor();
    await console.clickButton('Edit Post 1 typed on');
    await title.pressSequentially('x');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByTestId('post').getByText('Post 1 typed on').waitFor();
  });

  testOnce(screen)('stays open if the form was opened again during a slow save', async () => {
    await using opened = await open('Reopener');
    const { console, page, title } = opened;
    const release = await console.holdAnswers('**/graphql', () => page.keyboard.press('Enter'));
    await title.press('Escape');
    await console.clickButton('Edit Post 1');
    await title.press('End');
    await title.pressSequentially('!');
    release();
    await page.getByText('Saved “Post 1 typed”').waitFor();
    expect(await title.inputValue()).toBe('Post 1!');
  });

  testOnce(screen)('is shown on any page of the posts', async () => {
    await using opened = await open('Writer');
    const { author, console, page, title } = opened;
    await title.press('Escape');
    await createPosts(service.url, author.id, 24);
    await page.reload();
    await console.clickButton('Show more');
    await console.clickButton('Edit Post 24');
    await title.press('End');
    await title.pressSequentially(' typed');
    await page.reload();
    await expect.poll(() => title.inputValue()).toBe('Post 24 typed');
  });

  test('replaces a title changed elsewhere only after that title was shown', async () => {
    await using opened = await open('Renamer');
    const { id, console, page, title } = opened;
    await changePost(service.url, 'updatePost', { id, title: 'Others' });
    await page.keyboard.press('Enter');
    await page.getByText('It was changed elsewhere to “Others”. Save again to replace that.').waitFor();
    await console.inspect('console-title-changed');
    await page.reload();
    await page.getByText('It was changed elsewhere to “Others”. Saving replaces that.').waitFor();
    expect(await title.inputValue()).toBe('Post 1 typed');
    await title.press('Enter');
    await page.getByText('Saved “Post 1 typed”').waitFor();
    await page.getByTestId('post').getByText('Post 1 typed').waitFor();
  });

  test('is shown after the post was deleted, and can be created again', async () => {
    await using opened = await open('Deleter');
    const { id, console, page, title } = opened;
    await changePost(service.url, 'deletePost', { id });
    await title.press('Enter');
    await page.getByText('“Post 1” was not renamed').waitFor();
    await page.reload();
    await page.getByText('“Post 1” was deleted elsewhere. You had typed “Post 1 typed”').waitFor();
    await console.inspect('console-title-deleted');
    await console.clickButton('Create again');
    expect(await page.getByText('was deleted elsewhere').count()).toBe(0);
    await console.clickButton('Add');
    await page.getByText('Created “Post 1 typed”').waitFor();
    await page.reload();
    await page.getByTestId('post').getByText('Post 1 typed').waitFor();
  });

  test("is shown after its author was deleted, like a new post's title", async () => {
    await using opened = await open('Author');
    const { author, console, page } = opened;
    await page.getByLabel('Title of the new post').pressSequentially('New one');
    await deleteUser(service.url, author.id);
    await page.reload();
    await page.getByText('You had typed “Post 1 typed”').waitFor();
    await page.getByText('You had typed “New one”').waitFor();
    await console.inspect('console-titles-of-deleted');
    for (let each = 0; each < 2; each++) await page.getByRole('button', { name: 'Discard' }).first().click();
    await expect.poll(() => page.getByText('You had typed').count()).toBe(0);
  });
});
