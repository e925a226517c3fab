import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { listGroups } from '../../../../../infra/web/console/groups/groups.ts';
import { describeChange } from '../../../../../infra/web/console/groups/use-member-change.ts';
import {
  formatMember,
  groupNames,
  nameGroup,
  ownFields,
  readMemberships,
} from '../../../../../infra/web/console/own-fields.ts';
import { findConditions, listUnknown } from '../../../../../infra/web/console/users/filter.ts';
import { editValue, listActions } from '../../../../../infra/web/console/users/selection/bulk-edit.ts';

const groups = { name: 'groups', type: 'membership', list: true, roles: ['member', 'admin'] } as const;

beforeEach(() => {
  ownFields.set(() => [groups]);
  groupNames.set(() => new Map());
});

type Sent = { query: string; variables: Record<string, unknown> };

const createGroup = (id: string) => ({ id, name: `Group ${id}`, externalId: null, version: 1 });

/** Answers each request with the next page of ids. The external id `org_9` belongs to the group 9. */
function stubPages(...pages: string[][]): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { query, variables }: Sent = JSON.parse(body);
    sent.push({ query, variables });
    if (query.includes('groupByExternalId'))
      return Response.json({ data: { groupByExternalId: variables.externalId === 'org_9' ? createGroup('9') : null } });
    const nodes = (pages.shift() ?? []).map(createGroup);
    const pageInfo = { hasNextPage: pages.length > 0, endCursor: `after ${nodes.length}` };
    return Response.json({ data: { groups: { nodes, pageInfo } } });
  });
  return sent;
}

test('a search reads further pages until the page is full, and remembers the names', async () => {
  const sent = stubPages([], ['1'], ['2'], ['3']);
  const page = await listGroups('acme', { limit: 2 });
  expect(page).toMatchObject({ groups: [{ id: '1' }, { id: '2' }], next: 'after 1' });
  const searches = sent.filter(({ query }) => query.includes('ListGroups'));
  expect(searches.map(({ variables }) => variables)).toMatchObject([
    { search: 'acme', first: 2 },
    { search: 'acme', first: 2, after: 'after 0' },
    { search: 'acme', first: 1, after: 'after 1' },
  ]);
  expect(nameGroup('1')).toBe('Group 1');
});

test('the group with the typed external id comes first, once, and only on the first page', async () => {
  stubPages(['8', '9']);
  expect((await listGroups('org_9', { limit: 20 })).groups.map(({ id }) => id)).toEqual(['9', '8']);
  stubPages(['8']);
  expect((await listGroups('org_9', { limit: 20, after: 'c1' })).groups.map(({ id }) => id)).toEqual(['8']);
});

test('a text without a searchable word lists all groups', async () => {
  const sent = stubPages(['1']);
  await listGroups('', { limit: 20 });
  expect(sent.map(({ variables }) => variables)).toEqual([{ first: 20 }]);
});

test('memberships are shown with names and roles, deleted groups by their id', () => {
  const memberships = [
    { id: '1', role: 'admin' },
    { id: '2', role: 'member' },
    { id: '3', role: 'member' },
  ];
  groupNames.set(
    () =>
      new Map([
        ['1', 'Acme'],
        ['2', null],
      ]),
  );
  expect(formatMember('groups', memberships)).toBe('Acme (admin), 2 (member), … (member)');
  expect(formatMember('groups', [])).toBe('');
  expect(readMemberships(null)).toEqual([]);
});

test('a bulk edit adds users to a group, and members keep their role', () => {
  const add = (before: { id: string; role: string }[] | null) =>
    editValue({ field: groups, action: 'add', value: [{ id: '1', role: 'member' }] }, before);
  expect(add(null)).toEqual([{ id: '1', role: 'member' }]);
  expect(add([{ id: '2', role: 'admin' }])).toEqual([
    { id: '2', role: 'admin' },
    { id: '1', role: 'member' },
  ]);
  expect(add([{ id: '1', role: 'admin' }])).toEqual([{ id: '1', role: 'admin' }]);
  expect(listActions(groups)).toEqual([]);
});

test('the list filters by group and role only if the service has groups', () => {
  const route = { q: '', order: 'desc', page: 1, size: 20, previous: [] } as const;
  const find = (filter: Record<string, string>) => findConditions({ ...route, previous: [], filter })?.filter;
  const filter = { group: '1', role: 'admin' };
  expect(find(filter)).toEqual(filter);
  // The API rejects a role without a group.
  expect(find({ role: 'admin' })).toBeUndefined();
  expect(listUnknown({ role: 'admin' })).toEqual(['role']);
  ownFields.set(() => []);
  expect(listUnknown(filter)).toEqual(['group', 'role']);
});

test.each([
  [undefined, 'admin', 'Added Ada to Acme as admin'],
  ['admin', 'member', 'Ada is now member of Acme'],
  ['admin', undefined, 'Removed Ada from Acme'],
])('a change from the role %s to %s is announced as "%s"', (before, after, text) => {
  expect(describeChange('Ada', 'Acme', { before, after })).toBe(text);
});
