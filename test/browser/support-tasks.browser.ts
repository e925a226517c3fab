// Thirty tasks of a support desk: clicks, keys and seconds of each.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../lib/client/client.ts';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import {
  button,
  choose,
  type Desk,
  download,
  enter,
  expectOpen,
  field,
  filter,
  find,
  link,
  openTab,
  readTotal,
  search,
  waitForNotice,
} from './support-desk.ts';
import { type Effort, TaskRecorder } from './task-recorder.ts';
import { changeUser, createPosts, createUser, deleteUser, readUser, renameUser, type User } from './users.ts';

const RECORDED = 'test/browser/support-tasks.json';
const COLLEAGUES = 40;

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const screen = screens[0] ?? expect.unreachable();
const service = startSharedService(['--fields', 'test/browser/support-fields.json', '--sample', '240'], {
  environment: { GROUPS: 'on' },
});

const create = (name: string, fields?: object): Promise<User> => createUser(service.url, name, fields);

async function createAndFind(desk: Desk, name: string, fields?: object): Promise<User> {
  const user = await create(name, fields);
  await find(desk, user.email, user);
  return user;
}

/** Creates users of a company on plan free, with addresses at `domain`. */
const createColleagues = (company: string, domain: string): Promise<User[]> =>
  Promise.all(
    Array.from({ length: COLLEAGUES }, (_, at) =>
      create(`Colleague ${at}`, { email: `colleague.${at}@${domain}`, company, plan: 'free' }),
    ),
  );

const change = (id: string, changes: object) => changeUser(service.url, id, changes);
const read = (path: string) => fetch(`${service.url}/v1/users${path}`, { headers: { prefer: 'count=exact' } });
const list = async (query: string) => (await (await read(query)).json()) as User[];
const count = async (query: string) => Number((await read(`?limit=1${query}`)).headers.get('x-total-count'));

const expectStored = async (id: string, fields: object) =>
  expect(await readUser(service.url, id)).toMatchObject(fields);
const expectDeleted = (id: string) => expect.poll(async () => (await read(`/${id}`)).status).toBe(404);

const readTitles = async (authorId: string): Promise<string[]> =>
  (await createClient({ baseUrl: service.url }).posts.page(authorId)).posts.map(({ title }) => title);

/** Result of a task that the console does not support. */
const IMPOSSIBLE = null;

const tasks: Record<string, (desk: Desk) => Promise<unknown>> = {
  'Find by address': (desk) => createAndFind(desk, 'Ada Lovelace'),
  'Find by half of the last name': async (desk) => find(desk, 'oster', await create('Grace Ostermayer')),
  'Find by phone number': async (desk) => {
    const phone = '+44 20 7946 0958';
    await find(desk, phone, await create('Alan Turing', { phone }));
  },
  'Count addresses at a domain': async (desk) => {
    await createColleagues('Acme', 'acme.example');
    await search(desk, '@acme.example');
    await expect.poll(() => readTotal(desk)).toBe(`${COLLEAGUES} matches`);
  },
  'Count users with two values': async (desk) => {
    await filter(desk, 'Plan', 'pro');
    await filter(desk, 'Status', 'active');
    const expected = await count('&plan=pro&status=active');
    await expect.poll(() => readTotal(desk)).toBe(`${expected} matches`);
  },
  'See who came in the last seven days': async (desk) => {
    const { name } = await create('Newest Person');
    const firstDay = new Date();
    firstDay.setDate(firstDay.getDate() - 6);
    firstDay.setHours(0, 0, 0, -1);
    const expected = await count(`&createdAfter=${firstDay.toISOString()}`);
    expect(expected).toBeLessThan(await count(''));
    await desk.agent.click(button(desk.page, 'Filter by Created'));
    await desk.agent.click(button(desk.page, 'Last 7 days'));
    await expect.poll(() => readTotal(desk)).toBe(`${expected} matches`);
    await expect.poll(async () => (await desk.console.names())[0]).toBe(name);
  },
  // Sorted lists have no page numbers, but the reverse order begins with the last users.
  'See the end of the list by name': async (desk) => {
    const header = button(desk.page.getByRole('columnheader'), 'Name');
    await desk.agent.click(header);
    await desk.agent.click(header);
    const last = await list('?limit=20&sort=name&order=desc');
    await expect.poll(() => desk.console.names()).toEqual(last.map(({ name }) => name));
  },
  'Find by an earlier address': async (desk) => {
    const { id, email } = await create('Former Address');
    await change(id, { email: 'present.address@example.org' });
    await search(desk, email);
    await desk.page.getByText('No user matches').waitFor();
    return IMPOSSIBLE;
  },
  'Correct a letter of a name': async (desk) => {
    const { id } = await createAndFind(desk, 'Edsger Dijkstro');
    await desk.agent.click(field(desk, 'Name'));
    await desk.agent.press('End', 'Backspace', 'a', 'Enter');
    await waitForNotice(desk, 'Saved Edsger Dijkstra. Version 2.');
    await expectStored(id, { name: 'Edsger Dijkstra' });
  },
  'Change an address': async (desk) => {
    const { id } = await createAndFind(desk, 'Barbara Liskov');
    await enter(desk, 'Email', 'liskov@example.com');
    await desk.agent.press('Enter');
    await waitForNotice(desk, 'Version 2.');
    await expectStored(id, { email: 'liskov@example.com' });
  },
  'Open the owner of a taken address': async (desk) => {
    const owner = await create('Joan Clarke');
    await createAndFind(desk, 'Donald Knuth');
    await enter(desk, 'Email', owner.email);
    await desk.agent.press('Enter');
    await desk.panel.getByText('Another user has this email').waitFor();
    await desk.agent.click(link(desk.panel, owner.name));
    await expectOpen(desk, owner);
  },
  'Change the plan': async (desk) => {
    const { id } = await createAndFind(desk, 'John McCarthy');
    await choose(desk, 'Plan', 'pro');
    await waitForNotice(desk, 'Version 2.');
    await expectStored(id, { plan: 'pro' });
  },
  'Save after a change of another field': async (desk) => {
    const { id } = await createAndFind(desk, 'Niklaus Wirth', { phone: '1' });
    await enter(desk, 'Name', 'Niklaus E. Wirth');
    await change(id, { phone: '2' });
    await expect.poll(() => field(desk, 'Phone').inputValue()).toBe('2');
    await desk.agent.press('Enter');
    await waitForNotice(desk, 'Version 3.');
    await expectStored(id, { name: 'Niklaus E. Wirth', phone: '2' });
  },
  'Save after a change of the same field': async (desk) => {
    const { id } = await createAndFind(desk, 'Tony Hoare');
    await enter(desk, 'Name', 'Charles Hoare');
    await renameUser(service.url, id, 'C. A. R. Hoare');
    await desk.panel.getByText('changed elsewhere').waitFor();
    await desk.agent.press('Enter');
    const dialog = desk.page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'C. A. R. Hoare', checked: false }).waitFor();
    await dialog.getByRole('radio', { name: 'Charles Hoare', checked: true }).waitFor();
    await desk.agent.click(button(dialog, 'Save as version 3'));
    await waitForNotice(desk, 'Version 3.');
    await expectStored(id, { name: 'Charles Hoare' });
  },
  'Undo the last save': async (desk) => {
    const before = { ...desk, agent: new TaskRecorder(desk.page) };
    const { id, name } = await createAndFind(before, 'Frances Allen');
    await enter(before, 'Name', 'Frances A.');
    await before.agent.press('Enter');
    await waitForNotice(desk, 'Version 2.');
    await before.agent.press('Escape');
    await desk.agent.click(button(desk.page, 'Undo'));
    await waitForNotice(desk, 'Undone: Saved');
    await expectStored(id, { name });
  },
  'See who changed what, and when': async (desk) => {
    const user = await create('Maurice Wilkes', { phone: '100' });
    await change(user.id, { phone: '200' });
    await find(desk, user.email, user);
    await openTab(desk, 'History');
    const latest = desk.panel.getByRole('region', { name: 'History' }).getByRole('listitem').first();
    await expect
      .poll(async () => (await latest.innerText()).replaceAll(/\s+/g, ' '))
      .toContain('just now Version 2 by anonymous Phone from 100 to 200');
  },
  'Put back an earlier value': async (desk) => {
    const user = await create('Peter Naur', { phone: '100' });
    await change(user.id, { phone: '200' });
    await find(desk, user.email, user);
    await openTab(desk, 'History');
    await desk.agent.click(button(desk.panel, 'Restore version 1'));
    await waitForNotice(desk, 'Version 3.');
    await expectStored(user.id, { phone: '100' });
  },
  'Create a user': async (desk) => {
    await desk.agent.click(button(desk.page, 'New user'));
    await desk.panel.locator('input:focus').waitFor();
    await desk.agent.type('Kathleen Booth');
    await desk.agent.press('Tab');
    await desk.agent.type('booth@example.org');
    await desk.agent.press('Tab', 'Tab', 'p');
    await desk.agent.click(button(desk.panel, 'Create'));
    await waitForNotice(desk, 'Created');
    expect(await list('?email=booth@example.org')).toMatchObject([{ name: 'Kathleen Booth', plan: 'pro' }]);
  },
  'Create a user who exists': async (desk) => {
    const user = await create('Jean Sammet');
    await desk.agent.click(button(desk.page, 'New user'));
    await desk.panel.locator('input:focus').waitFor();
    await desk.agent.type('J. Sammet');
    await desk.agent.press('Tab');
    await desk.agent.type(user.email);
    await desk.agent.press('Enter');
    await desk.agent.click(link(desk.panel, user.name));
    await expectOpen(desk, user);
  },
  'Delete a user': async (desk) => {
    const { id } = await createAndFind(desk, 'Grete Hermann');
    await desk.agent.click(button(desk.panel, 'Delete user'));
    await waitForNotice(desk, 'Deleted');
    await button(desk.page, 'Dismiss').click();
    await expectDeleted(id);
  },
  'Restore a deleted user': async (desk) => {
    const { id, name } = await create('Karen Jones');
    await deleteUser(service.url, id);
    await desk.agent.click(desk.page.getByRole('tab', { name: 'Deleted users' }));
    await desk.agent.click(button(desk.page, `Restore ${name}`));
    await waitForNotice(desk, 'Restored');
    await expectStored(id, { name });
  },
  'Merge two records': async (desk) => {
    const kept = await create('Ida Rhodes', { phone: '100' });
    const other = await create('Ida Rhodes Older', { phone: '200' });
    await createPosts(service.url, other.id, 1);
    await search(desk, 'ida rhodes');
    await expect.poll(() => readTotal(desk)).toBe('2 matches');
    await desk.agent.click(desk.page.getByRole('checkbox', { name: 'Select all users of this page' }));
    await desk.agent.click(button(desk.page, 'Compare or merge'));
    await desk.agent.click(desk.page.getByRole('dialog').getByRole('radio', { name: '200' }));
    await desk.agent.click(button(desk.page, 'Merge and delete the other user'));
    await waitForNotice(desk, 'Merged into');
    await expectStored(kept.id, { name: kept.name, phone: '200' });
    await expectDeleted(other.id);
    await expect.poll(() => readTitles(kept.id)).toEqual(['Post 1']);
  },
  'Block a user': async (desk) => {
    const { id } = await createAndFind(desk, 'Lotfi Zadeh');
    await choose(desk, 'Status', 'closed');
    await desk.panel.getByText('Status closed: the person is blocked').waitFor();
    await expectStored(id, { status: 'closed' });
  },
  'Erase a person': async (desk) => {
    const { id } = await createAndFind(desk, 'Mary Keller');
    await openTab(desk, 'Privacy');
    await desk.agent.click(button(desk.panel, 'Erase this person'));
    await desk.agent.click(button(desk.page, 'Erase for good'));
    const confirmation = desk.panel.getByRole('region', { name: 'Erasure confirmation' });
    await confirmation.getByText(id).waitFor();
    const printed = desk.page.evaluate(() => new Promise((resolve) => addEventListener('beforeprint', resolve)));
    await desk.agent.click(button(confirmation, 'Print the confirmation'));
    await printed;
    await expectDeleted(id);
  },
  'Download the data of a person': async (desk) => {
    const { id, email } = await create('Radia Perlman');
    await createPosts(service.url, id, 1);
    await find(desk, email, await readUser(service.url, id));
    await openTab(desk, 'Privacy');
    const file = await download(desk, button(desk.panel, 'Download the data'));
    expect(JSON.parse(file)).toMatchObject({ user: { email }, posts: [{ title: 'Post 1' }] });
  },
  'Correct the title of a post': async (desk) => {
    const { id } = await createAndFind(desk, 'Betty Snyder');
    await createPosts(service.url, id, 1);
    await openTab(desk, 'Posts');
    await desk.agent.click(button(desk.panel, 'Edit Post 1'));
    await desk.panel.locator('input:focus').waitFor();
    await desk.agent.press('End', 'Backspace', '2', 'Enter');
    await waitForNotice(desk, 'Saved “Post 2”');
    expect(await readTitles(id)).toEqual(['Post 2']);
  },
  'Delete a post': async (desk) => {
    const { id } = await createAndFind(desk, 'Betty Holberton');
    await createPosts(service.url, id, 1);
    await openTab(desk, 'Posts');
    await desk.agent.click(button(desk.panel, 'Actions for Post 1'));
    await desk.agent.click(desk.page.getByRole('menuitem', { name: 'Delete' }));
    await waitForNotice(desk, 'Deleted “Post 1”');
    await button(desk.page, 'Dismiss').click();
    await expect.poll(() => readTitles(id)).toEqual([]);
  },
  'Set the plan of a company': async (desk) => {
    const { page, agent } = desk;
    await createColleagues('Globex', 'globex.example');
    await agent.click(button(page, 'Filter by Company'));
    await page.getByRole('dialog').locator('input:focus').waitFor();
    await agent.type('Globex');
    await agent.press('Enter');
    await expect.poll(() => readTotal(desk)).toBe(`${COLLEAGUES} matches`);
    await agent.click(page.getByRole('checkbox', { name: 'Select all users of this page' }));
    await agent.click(button(page, `Select all ${COLLEAGUES} matches`));
    await page.getByText(`${COLLEAGUES} selected`).waitFor();
    await agent.click(button(page, 'Edit field…'));
    await agent.select(page.getByRole('dialog').getByLabel('Plan', { exact: true }), 'team');
    await agent.click(button(page, `Change ${COLLEAGUES} users`));
    await waitForNotice(desk, `Changed Plan of ${COLLEAGUES} users`);
    expect(await count('&company=Globex&plan=team')).toBe(COLLEAGUES);
  },
  'Export the users on a plan': async (desk) => {
    await filter(desk, 'Plan', 'pro');
    await desk.page.waitForURL(/filter\.plan=pro/);
    await desk.agent.click(button(desk.page, 'Export users'));
    const file = await download(desk, desk.page.getByRole('menuitem', { name: 'Export all matches as CSV' }));
    const rows = file.trimEnd().split('\n').slice(1);
    expect(rows).toHaveLength(await count('&plan=pro'));
    expect(rows.filter((row) => !row.includes(',pro,'))).toEqual([]);
  },
  'Import 100 users, 5 of them known': async (desk) => {
    const { page, agent } = desk;
    const known = await Promise.all([1, 2, 3, 4, 5].map((number) => create(`Known ${number}`, { phone: '1' })));
    const others = Array.from({ length: 95 }, (_, at) => ({ name: `New ${at}`, email: `new.${at}@example.org` }));
    const rows = [...known, ...others].map(({ name, email }) => `${name},${email},2`);
    const file = { name: 'users.csv', text: ['name,email,phone', ...rows].join('\n') };
    await agent.click(button(page, 'Import users'));
    const dialog = page.getByRole('dialog', { name: 'Import users' });
    await agent.chooseFile(() => agent.click(button(dialog, 'Choose a file')), file);
    await agent.click(dialog.getByLabel('Update users who exist'));
    await dialog.getByText('Matched by address: 0 unchanged, 5 changed, 95 new.').waitFor();
    await agent.click(button(dialog, 'Import 95 new users and 5 changes'));
    await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    for (const { id } of known) await expectStored(id, { phone: '2' });
  },
};

type Result = Effort | typeof IMPOSSIBLE;

const recorded: Record<string, Result> = JSON.parse(readFileSync(RECORDED, 'utf8'));
const measured: Record<string, Result> = {};
const isUpdate = () => expect.getState().snapshotState.snapshotUpdateState === 'all';

test.each(Object.entries(tasks))('%s costs the recorded clicks and keys', async (title, perform) => {
  await using console = await ConsolePage.open(browser, screen, service.url);
  const { page } = console;
  await page.locator('tbody a').first().waitFor();
  const agent = new TaskRecorder(page);
  const result = await perform({ page, console, agent, panel: page.getByLabel('User', { exact: true }) });
  measured[title] = result === IMPOSSIBLE ? IMPOSSIBLE : agent.effort;
  if (!isUpdate()) expect(measured[title], 'Run with --update if the way has become shorter').toEqual(recorded[title]);
});

afterAll(() => {
  if (!isUpdate()) return;
  const efforts = Object.keys(tasks).flatMap((title) => {
    const effort = title in measured ? measured[title] : recorded[title];
    return effort === undefined ? [] : [`  ${JSON.stringify(title)}: ${formatEffort(effort)}`];
  });
  writeFileSync(RECORDED, `{\n${efforts.join(',\n')}\n}\n`);
});

/** On one line, as Biome formats it. */
const formatEffort = (effort: Result): string => JSON.stringify(effort, undefined, 1).replaceAll(/\s+/g, ' ');
