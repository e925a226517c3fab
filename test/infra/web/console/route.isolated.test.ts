import './browser-globals.ts';
import { expect, test, vi } from 'vitest';

const entries: { state: unknown; url: string }[] = [];
const record = (replaces: boolean) => (state: unknown, _: string, url: string) => {
  if (replaces) entries.pop();
  entries.push({ state, url });
};

/** Loads the module again, because it reads the address on import. */
async function openAt(search: string, state: unknown = null) {
  entries.length = 0;
  entries.push({ state, url: search });
  localStorage.removeItem('page-size');
  vi.stubGlobal('location', { search });
  vi.stubGlobal('history', { state, pushState: record(false), replaceState: record(true) });
  vi.resetModules();
  return import('../../../../infra/web/console/route.ts');
}
const listUrls = () => entries.map(({ url }) => url);

test.each([
  '?q=ada&filter.plan=pro&filter.createdAfter=2026-01-31T00%3A00%3A00.000Z&sort=name&order=desc&after=c1',
  '?filter.score.gte=10&filter.score.lt=20&filter.plan=pro&filter.plan=team',
  '?page=3&size=50&user=01a&tab=posts',
  '?order=asc',
  '?size=100&compare=01b%2C01c',
  '?q=ada&user=01a&groups=01d',
])('the list and panel at %s have the same address', async (search) => {
  const { linkTo } = await openAt(search);
  expect(linkTo({}).href).toBe(search);
});

test.each([
  ['', '/'],
  ['?user=01A&compare=01B%2C01C', '?user=01a&compare=01b%2C01c'],
  ['?page=0&size=7&order=up', '/'],
  ['?page=-2', '/'],
  ['?page=2.9', '?page=2'],
  ['?page=x', '/'],
  ['?sort=name&order=asc', '?sort=name'],
  ['?order=desc', '/'],
  ['?tab=posts', '/'],
])('the address %s means the same as %s', async (search, usual) => {
  const { linkTo } = await openAt(search);
  expect(linkTo({}).href).toBe(usual);
});

test('opening another user shows the first tab', async () => {
  const { linkTo } = await openAt('?user=01a&tab=posts');
  expect(linkTo({ user: '01b' }).href).toBe('?user=01b');
  expect(linkTo({ user: '01a' }).href).toBe('?user=01a&tab=posts');
  expect(linkTo({ user: '01b', tab: 'history' }).href).toBe('?user=01b&tab=history');
});

test('another list begins at its first page and keeps the open user', async () => {
  const { showList } = await openAt('?page=3&after=c2&user=01a', { previous: ['c1'] });
  showList({ filter: { plan: 'pro' } });
  expect(entries.at(-1)).toEqual({ state: { previous: [] }, url: '?filter.plan=pro&user=01a' });
});

test('repeated filters are several values', async () => {
  const { showList } = await openAt('/');
  showList({ filter: { plan: ['pro', 'team'], 'score.gte': '10' } });
  expect(listUrls()).toEqual(['/', '?filter.plan=pro&filter.plan=team&filter.score.gte=10']);
});

test('navigating to the same address adds no entry to the history', async () => {
  const { navigate } = await openAt('?q=ada');
  navigate({ q: 'ada' });
  expect(listUrls()).toEqual(['?q=ada']);
  navigate({ q: 'adam' }, { replace: true });
  expect(listUrls()).toEqual(['?q=adam']);
  navigate({ q: 'grace' });
  expect(listUrls()).toEqual(['?q=adam', '?q=grace']);
});

test('the chosen page size is remembered, but a link to a later page names it', async () => {
  const { setPageSize, linkTo } = await openAt('?page=4');
  setPageSize(50);
  expect(listUrls()).toEqual(['?page=4', '/']);
  expect(linkTo({ page: 2 }).href).toBe('?page=2&size=50');
  expect(linkTo({ size: 20 }).href).toBe('?size=20');
});

test('the page before is found by its cursor', async () => {
  const { findPreviousPage, linkTo, navigate } = await openAt('?q=ada&after=c2', { previous: ['', 'c1'] });
  const route = { previous: ['c0', 'c1', 'c2'] };
  expect(findPreviousPage(route as never)).toEqual({ after: 'c2', previous: ['c0', 'c1'] });
  expect(findPreviousPage({ previous: [] } as never)).toEqual({ after: undefined, previous: [] });
  navigate({ after: 'c3' });
  expect(entries.at(-1)).toEqual({ state: { previous: ['', 'c1'] }, url: linkTo({}).href });
});

test('a damaged state of the browser has no earlier pages', async () => {
  const { navigate } = await openAt('?q=ada', { previous: [1] });
  navigate({ q: 'grace' });
  expect(entries.at(-1)?.state).toEqual({ previous: [] });
});

test('a user is closed or replaced only if still open', async () => {
  const { closeUser, openInsteadOf } = await openAt('?user=01a');
  closeUser('01b');
  openInsteadOf('01b', '01c');
  openInsteadOf(undefined, '01c');
  expect(listUrls()).toEqual(['?user=01a']);
  openInsteadOf('01a', '01c');
  closeUser('01c');
  expect(listUrls()).toEqual(['?user=01a', '?user=01c', '/']);
});

test('a merge opens its user only if its comparison is still open', async () => {
  const { closeComparison } = await openAt('?compare=01a%2C01b');
  closeComparison('01a,01c', '01a');
  expect(listUrls()).toEqual(['?compare=01a%2C01b']);
  closeComparison('01a,01b', '01a');
  expect(listUrls()).toEqual(['?compare=01a%2C01b', '?user=01a']);
});

test.each([
  ['a click', {}, true],
  ['a click with Ctrl', { ctrlKey: true }, false],
  ['a click with Command', { metaKey: true }, false],
  ['a click with Shift', { shiftKey: true }, false],
])('%s follows a link within the page: %s %s', async (_, keys, follows) => {
  const { linkTo } = await openAt('/');
  const preventDefault = vi.fn();
  linkTo({ user: '01a' }).onClick({ preventDefault, ...keys } as never);
  expect(preventDefault).toHaveBeenCalledTimes(follows ? 1 : 0);
  expect(listUrls()).toEqual(follows ? ['/', '?user=01a'] : ['/']);
});
