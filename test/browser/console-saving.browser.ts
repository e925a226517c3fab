import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changePost, changeUser, createPosts, createUser, deleteUser, readUser, renameUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest();

const open = (screen: Screen, path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
const nameField = ({ page }: ConsolePage) => page.getByLabel('Name', { exact: true });
const readOpenUser = ({ page }: ConsolePage) => new URL(page.url()).searchParams.get('user');

/** Holds back the first matching response until the returned function is called. */
async function holdAnswer(page: Page, request: string | RegExp, act: () => Promise<void>): Promise<() => void> {
  const [handled, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const isRequest = (body: string | null) => typeof request === 'string' || request.test(body ?? '');
  let isHeld = false;
  await page.route(typeof request === 'string' ? request : '**/graphql', async (route) => {
    if (isHeld || route.request().method() === 'GET' || !isRequest(route.request().postData())) return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    handled.resolve();
    await released.promise;
    await route.fulfill({ response });
  });
  await Promise.all([handled.promise, act()]);
  return released.resolve;
}

describe.each(screens.slice(0, 1))('saving in the console', (screen) => {
  test("keeps text typed during a save, and does not mistake the save for another client's change", async () => {
    const { id } = await createUser(service.url, 'Typed Ahead');
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).fill('Saved name');
    const answer = await holdAnswer(console.page, '**/v1/users/*', () => console.clickButton('Save'));
    await console.showActivity('Changes');
    await console.page
      .getByRole('list', { name: 'Changes, latest first' })
      .getByRole('listitem')
      .filter({ hasText: 'Saved name' })
      .waitFor();
    await nameField(console).fill('Later name');
    expect(await console.page.getByText('changed elsewhere').count()).toBe(0);
    expect(await console.page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    answer();
    await console.page.getByText('Saved Saved name. Version 2.').waitFor();
    expect(await nameField(console).inputValue()).toBe('Later name');
    expect(await console.page.getByText('changed elsewhere').count()).toBe(0);
    await console.clickButton('Save');
    await console.page.getByText('Saved Later name. Version 3.').waitFor();
    await console.page.getByText('Unsaved', { exact: true }).waitFor({ state: 'detached' });
    await console.page.getByRole('button', { name: 'Undo' }).focus();
    await deleteUser(service.url, id);
    await console.page.getByText('Saved Later name').waitFor({ state: 'detached' });
    await console.page
      .getByLabel('User', { exact: true })
      .getByRole('heading')
      .and(console.page.locator(':focus'))
      .waitFor();
  });

  test("keeps unsaved changes across a reload, and detects another client's version without the feed", async () => {
    const { id } = await createUser(service.url, 'Loaded Again');
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).fill('Mine');
    await console.page.reload();
    await expect.poll(() => nameField(console).inputValue()).toBe('Mine');
    await console.showActivity('Changes');
    await console.clickButton('Pause');
    await renameUser(service.url, id, 'Theirs');
    await console.clickButton('Save');
    await console.clickButton('Keep version 2');
    expect(await nameField(console).inputValue()).toBe('Theirs');
    await nameField(console).fill('Mine again');
    await console.clickButton('Save');
    await console.page.getByText('Saved Mine again. Version 3.').waitFor();
  });

  test.each(['before', 'after'])(
    "keeps another client's change of another field that arrives %s a save",
    async (moment) => {
      const { id } = await createUser(service.url, `Two Fields ${moment}`);
      await using console = await open(screen, `/?user=${id}`);
      const { page } = console;
      await nameField(console).fill('Mine');
      if (moment === 'after') {
        // Blocks the change stream.
        await page.route('**/graphql', (route) =>
          route.request().headers().accept === 'text/event-stream' ? route.abort() : route.fallback(),
        );
        await page.reload();
        await nameField(console).waitFor();
      }
      await changeUser(service.url, id, { email: `their.${moment}@example.org` });
      if (moment === 'before') await page.getByText('changed elsewhere. Your changes stay.').waitFor();
      await console.clickButton('Save');
      await page.getByText('Saved Mine. Version 3.').waitFor();
      expect(await page.getByLabel('Email', { exact: true }).inputValue()).toBe(`their.${moment}@example.org`);
      expect(await readUser(service.url, id)).toMatchObject({ name: 'Mine', email: `their.${moment}@example.org` });
      await console.clickButton('Undo');
      await page.getByText('Undone: Saved Mine').waitFor();
      expect(await readUser(service.url, id)).toMatchObject({
        ...{ name: `Two Fields ${moment}`, email: `their.${moment}@example.org` },
      });
    },
  );

  test("sends a save with a lost response once, although another client's change of another field follows", async () => {
    const { id } = await createUser(service.url, 'Lost Between');
    await using console = await open(screen, `/?user=${id}`);
    const { page } = console;
    await nameField(console).fill('Saved before theirs');
    const sent: (string | null)[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postData()));
    const loseAnswer = async (route: Route) => {
      await route.fetch();
      await changeUser(service.url, id, { email: 'later@example.org' });
      await route.abort();
    };
    await page.route('**/v1/users/*', loseAnswer, { times: 1 });
    await console.clickButton('Save');
    await page.getByRole('definition').getByText('3', { exact: true }).waitFor();
    await page.getByText('Unsaved', { exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
    // The second request is the client's retry.
    expect(sent).toEqual(Array.from({ length: 2 }, () => JSON.stringify({ name: 'Saved before theirs' })));
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect(await readUser(service.url, id)).toMatchObject({ name: 'Saved before theirs', email: 'later@example.org' });
  });

  test('keeps another open user when an operation ends', async () => {
    const [deleted, other] = [await createUser(service.url, 'To Delete'), await createUser(service.url, 'Another')];
    await using console = await open(screen, '/?user=new');
    await nameField(console).fill('Cancelled');
    await console.page.getByLabel('Email', { exact: true }).fill('cancelled@example.org');
    const created = await holdAnswer(console.page, '**/v1/users?*', () => console.clickButton('Create'));
    await console.clickButton('Cancel');
    created();
    await console.page.getByText('Created Cancelled').waitFor();
    expect(readOpenUser(console)).toBe(null);
    await console.page.getByRole('link', { name: deleted.name, exact: true }).click();
    await console.clickButton('Undo');
    await console.page.getByText('Undone: Created Cancelled').waitFor();
    expect(readOpenUser(console)).toBe(deleted.id);
    await console.clickButton('Delete user');
    await console.page.getByRole('link', { name: other.name, exact: true }).click();
    await console.clickButton('Undo');
    await console.page.getByRole('link', { name: deleted.name, exact: true }).waitFor();
    expect(readOpenUser(console)).toBe(other.id);
  });

  test('keeps the next new user in the form when a cancelled creation ends', async () => {
    await using console = await open(screen, '/?user=new');
    await nameField(console).fill('Not Wanted');
    await console.page.getByLabel('Email', { exact: true }).fill('not.wanted@example.org');
    const created = await holdAnswer(console.page, '**/v1/users?*', () => console.clickButton('Create'));
    await console.clickButton('Cancel');
    await console.clickButton('New user');
    await nameField(console).fill('Next');
    created();
    await console.page.getByText('Created Not Wanted').waitFor();
    expect(await nameField(console).inputValue()).toBe('Next');
  });

  test("shows own changes of posts without a reload, and other clients' when the page becomes visible", async () => {
    const { id } = await createUser(service.url, 'Long List');
    await createPosts(service.url, id, 41);
    await using console = await open(screen, `/?user=${id}&tab=posts`);
    const titles = () => console.page.getByTestId('post').allTextContents();
    await expect.poll(titles).toHaveLength(20);
    let reads = 0;
    console.page.on('request', (request) => {
      if (request.postData()?.includes('ListPosts')) reads += 1;
    });
    const title = console.page.getByLabel('Title of the new post');
    await title.fill('Post 42');
    await console.clickButton('Close');
    await console.page.goBack();
    expect(await title.inputValue()).toBe('Post 42');
    await title.press('Enter');
    await expect.poll(titles).toHaveLength(21);
    await console.clickButton('Actions for Post 42');
    await console.page.getByRole('menuitem', { name: /Publish/ }).click();
    await console.page.getByText(/^Published/).waitFor();
    expect(reads).toBe(0);
    for (const count of [41, 42]) {
      await console.page.getByRole('button', { name: 'Show more' }).press('Enter');
      await expect.poll(titles).toHaveLength(count);
      expect((await titles()).at(-1)).toBe('Post 42');
    }
    await expect.poll(() => console.readFocus()).toBe('Posts');
    await createPosts(service.url, id, 1);
    await console.page.clock.setFixedTime(new Date(Date.now() + 60_000));
    await console.setVisibility('hidden');
    await console.setVisibility('visible');
    await expect.poll(titles).toHaveLength(43);
  });

  test('shows errors as notices after their form was closed', async () => {
    const { id } = await createUser(service.url, 'Closed Early');
    await createPosts(service.url, id, 1);
    await using console = await open(screen, `/?user=${id}&tab=posts`);
    await console.showActivity('Changes');
    await console.clickButton('Pause');
    await console.clickButton('Edit Post 1');
    await console.page.getByLabel('Title', { exact: true }).fill('Renamed');
    const failTitle = await console.failRequest('**/graphql', () =>
      console.page.getByLabel('Title', { exact: true }).press('Enter'),
    );
    await console.clickButton('Cancel');
    failTitle();
    await console.page.getByText('“Post 1” was not renamed: ').waitFor();
  });

  test('treats a save with a lost response as saved, and does not undo a later change of a title', async () => {
    const { id } = await createUser(service.url, 'Lost Answer');
    const [post = ''] = await createPosts(service.url, id, 2);
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).fill('Saved anyway');
    await console.page.route('**/v1/users/*', (route) => route.fetch().then(() => route.abort()), { times: 1 });
    await console.clickButton('Save');
    await console.page.getByRole('definition').getByText('2', { exact: true }).waitFor();
    await console.page.getByText('Unsaved', { exact: true }).waitFor({ state: 'detached' });
    expect(await console.page.getByLabel('User', { exact: true }).getByRole('alert').count()).toBe(0);
    await console.openTab('Posts');
    await console.clickButton('Edit Post 1');
    await console.page.getByLabel('Title', { exact: true }).fill('Mine');
    await console.page.getByLabel('Title', { exact: true }).press('Enter');
    await console.page.getByText('Saved “Mine”').waitFor();
    await changePost(service.url, 'updatePost', { id: post, title: 'Theirs' });
    const notice = console.page.getByRole('status').filter({ hasText: 'Saved “Mine”' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await console.page.getByText('Not undone: the title was changed again elsewhere').waitFor();
    await changePost(service.url, 'deletePost', { id: post });
    await console.clickButton('Actions for Mine');
    await console.page.getByRole('menuitem', { name: /Publish/ }).click();
    await console.page.getByText('“Mine” was not published: Post not found').waitFor();
    expect(await console.page.getByTestId('post').allTextContents()).toEqual(['Post 2']);
  });

  test('shows a new post after a full page, and keeps the panel when the user cannot be reloaded', async () => {
    const { id } = await createUser(service.url, 'Prolific Author');
    await createPosts(service.url, id, 20);
    await using console = await open(screen, `/?user=${id}&tab=posts`);
    await console.page.getByText('Post 20', { exact: true }).waitFor();
    expect(await console.page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    const title = console.page.getByLabel('Title of the new post');
    await title.fill('Post 21');
    const answer = await holdAnswer(console.page, /CreatePost/, () => console.clickButton('Add'));
    await title.fill('Post 22');
    answer();
    await console.page.getByText('Created “Post 21”').waitFor();
    await console.page.getByTestId('post').filter({ hasText: 'Post 21' }).waitFor();
    expect(await title.inputValue()).toBe('Post 22');
    // The change feed would deliver the user although the response is lost.
    await console.showActivity('Changes');
    await console.clickButton('Pause');
    await console.openTab('Profile');
    await nameField(console).fill('Read once');
    await renameUser(service.url, id, 'Theirs');
    await console.page.route('**/v1/users/*', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.fallback(),
    );
    await console.clickButton('Save');
    await console.page.getByText('The user cannot be read').scrollIntoViewIfNeeded();
    await console.inspect('console-user-error');
    await console.page.unroute('**/v1/users/*');
    await console.clickButton('Try again');
    await console.clickButton('Keep version 2');
    await console.page.getByText('The user cannot be read').waitFor({ state: 'detached' });
    await console.openTab('Posts');
    expect(await title.inputValue()).toBe('Post 22');
  });
});

test('unsaved changes are kept when the session storage is full', async () => {
  const { id } = await createUser(service.url, 'Full');
  await using console = await open(screens[0] as Screen, `/?user=${id}`);
  await nameField(console).waitFor();
  await console.page.evaluate(() => {
    for (let length = 2 ** 22; length >= 1; length /= 2)
      try {
        for (let at = 0; ; at += 1) sessionStorage.setItem(`${length} ${at}`, 'x'.repeat(length));
      } catch {}
  });
  await nameField(console).press('End');
  await nameField(console).pressSequentially(' of things');
  expect(await nameField(console).inputValue()).toBe('Full of things');
  await nameField(console).press('Enter');
  await console.page.getByText('Saved Full of things. Version 2.').waitFor();
  await console.inspect('console-storage-full');
});

test('Ctrl+Z undoes nothing after the notice has closed', async () => {
  await using console = await open(screens[0] as Screen, '/?user=new');
  await console.page.clock.install();
  await nameField(console).pressSequentially('Here To Stay');
  await console.page.getByLabel('Email', { exact: true }).pressSequentially('here.to.stay@example.org');
  await console.page.keyboard.press('Enter');
  await console.page.getByText('Created Here To Stay').waitFor();
  const id = readOpenUser(console) ?? '';
  await console.page.clock.fastForward(30_000);
  await console.page.getByText('Created Here To Stay').waitFor({ state: 'detached' });
  await console.clickButton('Close');
  await console.page.keyboard.press('ControlOrMeta+z');
  await console.page.waitForTimeout(500);
  expect(await readUser(service.url, id)).toMatchObject({ name: 'Here To Stay' });
});

describe.each(screens)('the focus in the console at $name', (screen) => {
  const openUser = async (name: string) => {
    const console = await open(screen);
    await console.page.getByRole('link', { name, exact: true }).click();
    return console;
  };

  test("is in a new user's name field, and returns to the button after Cancel", async () => {
    await using console = await open(screen);
    await console.clickButton('New user');
    await expect.poll(() => nameField(console).evaluate((field) => field === document.activeElement)).toBe(true);
    await console.clickButton('Cancel');
    await expect.poll(() => console.readFocus()).toBe('New user');
  });

  test('stays on Save during and after a save, which a second Enter does not send again', async () => {
    const user = await createUser(service.url, 'Keyboard');
    await using console = await openUser(user.name);
    const { page } = console;
    await nameField(console).fill('Renamed');
    const saves: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && saves.push(request.url()));
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const answer = await holdAnswer(page, '**/v1/users/*', () => save.press('Enter'));
    expect(await save.isDisabled()).toBe(true);
    await page.keyboard.press('Enter');
    await nameField(console).press('Enter');
    await save.focus();
    answer();
    await page.getByText('Saved Renamed. Version 2.').waitFor();
    expect(await console.readFocus()).toBe('Save');
    expect(saves).toHaveLength(1);
  });

  test('returns to the Edit button of a post after its editing was cancelled', async () => {
    const user = await createUser(service.url, 'Author');
    await createPosts(service.url, user.id, 1);
    await using console = await openUser(user.name);
    await console.openTab('Posts');
    await console.clickButton('Edit Post 1');
    await console.page.getByLabel('Title', { exact: true }).press('Escape');
    await expect.poll(() => console.readFocus()).toBe('Edit Post 1');
  });

  test('moves to the posts when the last one is deleted', async () => {
    const user = await createUser(service.url, 'Author');
    await createPosts(service.url, user.id, 1);
    await using console = await openUser(user.name);
    await console.openTab('Posts');
    await console.clickButton('Actions for Post 1');
    await console.page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => console.readFocus()).toBe('Posts');
  });

  test('moves to the title when changes are discarded', async () => {
    const user = await createUser(service.url, 'Keyboard');
    await using console = await openUser(user.name);
    await nameField(console).fill('Not wanted');
    await console.page.getByRole('button', { name: 'Discard changes' }).press('Enter');
    await expect.poll(() => console.readFocus()).toBe(user.name);
  });

  test("reaches a save's Undo by Tab, and then returns to the title", async () => {
    const user = await createUser(service.url, 'Keyboard');
    await using console = await openUser(user.name);
    await nameField(console).fill('Renamed');
    await console.clickButton('Save');
    await console.page.getByRole('status').getByText('Saved Renamed. Version 2.').waitFor();
    expect(await console.page.getByRole('alert').getByText('Saved Renamed').count()).toBe(0);
    const pressTab = () => console.page.keyboard.press('Tab').then(() => console.readFocus());
    await expect.poll(pressTab).toBe('Undo');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Undone: Saved Renamed').waitFor();
    await expect.poll(() => console.readFocus()).toBe(user.name);
  });

  test('returns to the row when Escape closes the user, and Enter reopens it', async () => {
    const user = await createUser(service.url, 'Keyboard');
    await using console = await openUser(user.name);
    await nameField(console).waitFor();
    await console.page.keyboard.press('Escape');
    await expect.poll(() => readOpenUser(console)).toBe(null);
    await expect.poll(() => console.readFocus()).toBe(user.name);
    await console.page.keyboard.press('Enter');
    await expect.poll(() => readOpenUser(console)).toBe(user.id);
  });

  test('moves to the next user after a deletion', async () => {
    await createUser(service.url, 'Next');
    const user = await createUser(service.url, 'Keyboard');
    await using console = await openUser(user.name);
    await console.clickButton('Delete user');
    await expect.poll(() => console.page.evaluate(() => document.activeElement?.id)).toMatch(/^user-/);
  });

  test('is not moved to the list when another client deletes a user', async () => {
    const user = await createUser(service.url, 'Deleted by others');
    await using console = await open(screen);
    const row = console.page.getByRole('link', { name: user.name, exact: true });
    await row.waitFor();
    await console.page.evaluate(() => document.querySelector<HTMLElement>(':focus')?.blur());
    await deleteUser(service.url, user.id);
    await row.waitFor({ state: 'detached' });
    expect(await console.page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });
});

test.each(screens)(
  'a save causes no layout shift, and its notice closes after 10 seconds without pointer and focus at $name',
  async (screen) => {
    const { id } = await createUser(service.url, `Calm ${screen.name}`);
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).pressSequentially('!');
    // The list may arrive later than the panel, and moves elements.
    await console.page.locator(`#user-${id}`).waitFor({ state: 'attached' });
    await console.page.clock.install();
    const readPlaces = () =>
      console.page
        .locator(
          '#console > *, [aria-label="User"], [aria-label="Users"], [aria-label="Pages"], [aria-label="Activity"]',
        )
        .evaluateAll((all) => all.map((each) => JSON.stringify(each.getBoundingClientRect())));
    const places = await readPlaces();
    await nameField(console).press('Enter');
    const notice = console.page.getByText('. Version 2.');
    await notice.waitFor();
    await console.inspect('console-saved');
    expect(await readPlaces()).toEqual(places);
    await notice.hover();
    await console.page.clock.fastForward(11_000);
    expect(await notice.count()).toBe(1);
    await console.page.mouse.move(1, 1);
    await console.page.clock.fastForward(11_000);
    await notice.waitFor({ state: 'detached' });
  },
);

test('an error stays until it is closed, despite later notices', async () => {
  const users = [
    await createUser(service.url, 'After An Error One'),
    await createUser(service.url, 'After An Error Two'),
  ];
  await using console = await open(screens[0] as Screen, '/?user=01975000-0000-7000-8000-000000000000');
  await console.page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error()) } });
  });
  await console.page.keyboard.press('l');
  const error = console.page.getByRole('alert').getByText('The browser does not let the page copy the link');
  await error.waitFor();
  for (const { id, name } of users) {
    await console.page.getByRole('link', { name }).click();
    await expect.poll(() => readOpenUser(console)).toBe(id);
    await console.clickButton('Delete user');
    await console.page.getByText(`Deleted ${name}`).waitFor();
  }
  expect(await error.isVisible()).toBe(true);
  await console.page.getByRole('alert').getByRole('button', { name: 'Dismiss' }).click();
  await error.waitFor({ state: 'detached' });
});

test.each(screens)('long names are truncated before they cover buttons at $name', async (screen) => {
  const { id } = await createUser(service.url, `Long ${screen.name}`);
  await using console = await open(screen, `/?user=${id}`);
  await nameField(console).fill('x'.repeat(256));
  await console.clickButton('Save');
  const undo = console.page.getByRole('button', { name: 'Undo' });
  expect(await undo.evaluate((button) => button.scrollWidth <= button.clientWidth)).toBe(true);
  await console.clickButton('Delete user');
  await console.page.getByText('Deleted xxx').waitFor();
  await console.inspect('console-long-name');
});
