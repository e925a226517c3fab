import { describe, expect, test, vi } from 'vitest';
import { table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import { eraseEntry, readLatestEntries } from '../../../../lib/features/change-log/read.ts';
import { userTopic } from '../../../../lib/features/change-log/topics.ts';
import { returnUsers } from '../../../../lib/users/return.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute, getErrorCode, mutate } from '../../graphql/client.ts';
import { findItem, logChange, logWrite } from '../../on-change/log-write.ts';
import { UNKNOWN_ID } from '../../rest/client.ts';

type Entry = {
  at: string;
  by: string | null;
  kind: string;
  version: number | null;
  before: { name: string } | null;
  after: { name: string } | null;
  changed: string[];
};
type Connection = {
  nodes: Entry[];
  edges: { cursor: string; node: Entry }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  since: string;
};

const ENTRY = 'at by kind version changed before { name email version } after { name email version }';
const HISTORY = `query ($id: ID!, $first: Int, $after: String) {
  userHistory(id: $id, first: $first, after: $after) {
    nodes { ${ENTRY} } edges { cursor node { ${ENTRY} } } since
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

const request = (variables: { id: string; first?: number; after?: string | null }) =>
  execute<{ userHistory: Connection }>(HISTORY, variables);

async function readHistory(variables: Parameters<typeof request>[0]): Promise<Connection> {
  const { data, text } = await request(variables);
  if (!data) throw new Error(text);
  return data.userHistory;
}

async function createUser(person = newPerson()): Promise<string> {
  const { payload, text } = await mutate('createUser', person, { caller: 'ann' });
  if (!payload) throw new Error(text);
  const { id } = payload.user;
  await logChange(undefined, await findItem(userKey(id)));
  return id;
}

const rename = (id: string, name: string, caller = 'bob') =>
  logWrite(userKey(id), () => mutate('updateUser', { id, name }, { caller }));

test('the history of a user shows the caller and the values before and after each change, latest first', async () => {
  const person = { ...newPerson(), name: 'Ada' };
  const id = await createUser(person);
  await rename(id, 'Ada King');
  const stored = await findItem(userKey(id));
  await logWrite(userKey(id), () => mutate('deleteUser', { id }, { caller: 'ann@example.org' }));
  const { email } = person;
  const { nodes, edges } = await readHistory({ id: id.toUpperCase() });
  expect(nodes).toEqual([
    {
      ...{ kind: 'DELETED', version: 3, by: expect.stringMatching(/^sha256:/), at: expect.any(String) },
      ...{ before: { name: 'Ada King', email, version: 2 }, after: null, changed: ['name', 'email'] },
    },
    {
      ...{ kind: 'UPDATED', version: 2, by: 'sub:bob', at: stored?.updatedAt },
      before: { name: 'Ada', email, version: 1 },
      after: { name: 'Ada King', email, version: 2 },
      changed: ['name'],
    },
    {
      ...{ kind: 'CREATED', version: 1, by: 'sub:ann', at: stored?.createdAt },
      ...{ before: null, after: { name: 'Ada', email, version: 1 }, changed: ['name', 'email'] },
    },
  ]);
  expect(edges.map(({ node }) => node)).toEqual(nodes);
});

describe('pages of a history', () => {
  test('continue from their cursors without gaps or duplicates', async () => {
    const id = await createUser();
    for (const name of ['One', 'Two', 'Three', 'Four']) await rename(id, name);
    const versions: (number | null)[] = [];
    let after: string | null = null;
    for (let page = 0; page === 0 || after; page++) {
      const { edges, pageInfo } = await readHistory({ id, first: 2, after });
      versions.push(...edges.map(({ node }) => node.version));
      const cursors = { startCursor: edges.at(0)?.cursor, endCursor: edges.at(-1)?.cursor };
      expect(pageInfo).toEqual({ hasNextPage: page < 2, hasPreviousPage: page > 0, ...cursors });
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    }
    expect(versions).toEqual([5, 4, 3, 2, 1]);
  });

  test('reject cursors of another user and invalid texts', async () => {
    const [id, other] = [await createUser(), await createUser()];
    const { pageInfo } = await readHistory({ id: other });
    for (const after of [pageInfo.endCursor, 'x', '', btoa('[]'), btoa('["x","y"]'), 'x'.repeat(5_000)])
      expect(getErrorCode(await request({ id, after }))).toBe('BAD_USER_INPUT');
  });

  test.each([0, 101])('reject first: %i', async (first) => {
    expect(getErrorCode(await request({ id: await createUser(), first }))).toBe('BAD_USER_INPUT');
  });

  test('count towards the cost of an operation', async () => {
    const fields = Array.from({ length: 15 }, (_, at) => `a${at}: before { id name email version }`).join(' ');
    const document = `query ($id: ID!) { userHistory(id: $id, first: 100) { nodes { ${fields} } } }`;
    const { errors } = await execute(document, { id: await createUser() });
    expect(errors?.[0]?.message).toMatch(/costs \d+, which is more than 5000/);
  });
});

test.each([UNKNOWN_ID, 'ada'])('the history of %s, an unknown user, is NOT_FOUND', async (id) => {
  expect(getErrorCode(await request({ id }))).toBe('NOT_FOUND');
});

test('a user with expired changes has an empty history, with the time since which changes are kept', async () => {
  const id = await createUser();
  const { now } = environment;
  const later = now() + 25 * 3_600_000;
  environment.now = () => later;
  try {
    const { nodes, pageInfo, since } = await readHistory({ id });
    expect({ nodes, hasNextPage: pageInfo.hasNextPage }).toEqual({ nodes: [], hasNextPage: false });
    expect(Date.parse(since)).toBe(later - 24 * 3_600_000);
  } finally {
    environment.now = now;
  }
});

test('an import with the times of its file appears in the history, and earlier changes stay reachable', async () => {
  const id = await createUser();
  await logWrite(userKey(id), () => mutate('deleteUser', { id }));
  const old = '2020-01-31T00:00:00.000Z';
  const user = {
    ...newPerson(),
    ...{ id, own: {}, version: 7, createdAt: old, updatedAt: old },
    by: 'system',
  } as const;
  await logWrite(userKey(id), () => returnUsers([{ create: () => user }]));
  await rename(id, 'Ada');
  const { nodes, pageInfo } = await readHistory({ id, first: 2 });
  expect(nodes.map(({ kind, version }) => [kind, version])).toEqual([
    ['UPDATED', 8],
    ['CREATED', 7],
  ]);
  expect(pageInfo.hasNextPage).toBe(true);
});

test('an erased change has no values', async () => {
  const id = await createUser();
  const [{ sequence = '' } = {}] = await readLatestEntries(userTopic(id), undefined, 1);
  await eraseEntry(userTopic(id), sequence);
  expect(await readHistory({ id })).toMatchObject({
    nodes: [{ kind: 'CREATED', by: 'sub:ann', version: 1, before: null, after: null, changed: [] }],
  });
});

test('from the request of an erasure on, no personal data is shown, at the cost of one read', async () => {
  const id = await createUser();
  await rename(id, 'Ada King');
  // Read once before counting, because a process's first history also reads the list of epochs.
  await readHistory({ id });
  const reads = vi.spyOn(table, 'send');
  expect((await readHistory({ id })).nodes).toMatchObject([
    { kind: 'UPDATED', after: { name: 'Ada King' } },
    { kind: 'CREATED', after: { name: expect.any(String) } },
  ]);
  const asked = reads.mock.calls.length;
  reads.mockRestore();
  const stored = await findItem(userKey(id));
  await mutate('deleteUser', { id, erase: true });
  const content = { before: null, after: null, changed: [] };
  const shown = [
    { kind: 'UPDATED', ...content },
    { kind: 'CREATED', ...content },
  ];
  expect((await readHistory({ id })).nodes).toMatchObject(shown);
  await logChange(stored, undefined);
  expect((await readHistory({ id })).nodes).toMatchObject([{ kind: 'DELETED', ...content }, ...shown]);
  expect(asked).toBe(2);
});

test('a service without a change log rejects the query', async () => {
  const id = await createUser();
  process.env.CHANGE_LOG = 'off';
  try {
    const { errors } = await request({ id });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('turned off'), extensions: { code: 'BAD_REQUEST' } },
    ]);
  } finally {
    delete process.env.CHANGE_LOG;
  }
});

test('a change damaged by hand has no values', async () => {
  const id = await createUser();
  const stored = await findItem(userKey(id));
  await logChange(stored, { ...userKey(id), name: 'No address' });
  const { nodes } = await readHistory({ id, first: 1 });
  expect(nodes).toMatchObject([{ kind: 'UPDATED', by: null, after: null, changed: ['name', 'email'] }]);
});
