import '../browser-globals.ts';
import { expect, test } from 'vitest';
import type { User } from '../../../../../infra/web/console/api/users.ts';
import { addLatest, type HistoryEntry } from '../../../../../infra/web/console/user/use-history.ts';
import type { HistoryPage } from '../../../../../lib/client/client.ts';

const at = '2026-11-22T10:00:00.000Z';
const newEntry = (version: number): HistoryEntry => ({
  at,
  by: null,
  kind: 'UPDATED',
  version,
  changed: [],
  merged: null,
  mergedInto: null,
  before: null,
  after: null,
});
const newPage = (versions: number[], since = at): HistoryPage<User> => ({
  since,
  entries: versions.map(newEntry),
  next: `after ${versions.at(-1)}`,
});
const loaded = { pages: [newPage([6, 5]), newPage([4, 3])], pageParams: [undefined, 'after 5'] };
const listVersions = (pages: HistoryPage<User>[]) => pages.map(({ entries }) => entries.map(({ version }) => version));

test('new changes come first, and the loaded pages stay', () => {
  const later = '2026-11-22T11:00:00.000Z';
  const { pages, pageParams } = addLatest(loaded, newPage([8, 7, 6], later));
  expect(listVersions(pages)).toEqual([
    [8, 7, 6, 5],
    [4, 3],
  ]);
  expect(pageParams).toEqual(loaded.pageParams);
  expect(pages[0]).toMatchObject({ since: later, next: 'after 5' });
});

test.each([
  ['more changes than a page contains', loaded, [9, 8]],
  ['an erasure, which empties the history', loaded, []],
  ['the first change', { pages: [newPage([])], pageParams: [undefined] }, [1]],
])('the history starts anew after %s', (_, pages, latest) => {
  expect(addLatest(pages, newPage(latest))).toEqual({ pages: [newPage(latest)], pageParams: [undefined] });
});
