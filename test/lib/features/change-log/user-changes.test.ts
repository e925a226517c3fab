import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { execute as executeHere, parse } from 'graphql';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment, timestamp } from '../../../../lib/environment.ts';
import { listChangedUsers, readChangesPage } from '../../../../lib/features/change-log/changes.ts';
import { createCursorAtEnd } from '../../../../lib/features/change-log/cursor.ts';
import { epochKey } from '../../../../lib/features/change-log/keys.ts';
import { findOrderPosition, readLogEnd, readOrder } from '../../../../lib/features/change-log/order-log.ts';
import { allUsers, EPOCH, formatPosition, MIN_POSITION } from '../../../../lib/features/change-log/topics.ts';
import { createGraphqlContext } from '../../../../lib/graphql/context.ts';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { createPost, execute, fetchData, getErrorCode, mutate } from '../../graphql/client.ts';
import { findItem, logChange, logWrite } from '../../on-change/log-write.ts';
import { append, listIds, newChange, newEnd, startSubscriber } from './changes.ts';

const HOUR_MS = 3_600_000;
const { now } = environment;

const { refsPerPage } = sizes;

afterEach(() => {
  environment.now = now;
  sizes.refsPerPage = refsPerPage;
  vi.unstubAllEnvs();
});

const setTime = (time: number) => {
  environment.now = () => time;
};

type Node = {
  cursor: string;
  kind: string;
  id: string;
  at: string;
  version: number | null;
  changed: string[];
  user: { name: string; version: number } | null;
};
type Connection = {
  nodes: Node[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
};
type Variables = { after?: string | undefined; since?: string; first?: number };

const CHANGES = `query ($after: ID, $since: DateTime, $first: Int) {
  userChanges(after: $after, since: $since, first: $first) {
    nodes { cursor kind id at version changed user { name version } } edges { cursor node { id } } pageInfo { hasNextPage endCursor }
  }
}`;

const request = (variables: Variables) => execute<{ userChanges: Connection }>(CHANGES, variables);

const readPage = async (variables: Variables): Promise<Connection> =>
  (await fetchData<{ userChanges: Connection }>(CHANGES, variables)).userChanges;

async function readAll(variables: Variables): Promise<Node[]> {
  const page = await readPage(variables);
  const rest = page.pageInfo.hasNextPage ? await readAll({ ...variables, after: page.pageInfo.endCursor }) : [];
  return [...page.nodes, ...rest];
}

const findEnd = async (): Promise<string> => (await readPage({ since: timestamp() })).pageInfo.endCursor;

async function createUser(name = 'Ada'): Promise<string> {
  const { payload, text } = await mutate('createUser', { ...newPerson(), name });
  if (!payload) throw new Error(text);
  await logChange(undefined, await findItem(userKey(payload.user.id)));
  return payload.user.id;
}

const rename = (id: string, name: string) => logWrite(userKey(id), () => mutate('updateUser', { id, name }));
const remove = (id: string) => logWrite(userKey(id), () => mutate('deleteUser', { id }));

describe('userChanges', () => {
  test('an empty log returns an empty page with a cursor that finds later changes', async () => {
    const { nodes, pageInfo } = await readPage({ since: new Date(now() - HOUR_MS).toISOString() });
    expect({ nodes, hasNextPage: pageInfo.hasNextPage }).toEqual({ nodes: [], hasNextPage: false });
    const id = await createUser();
    expect(listIds(await readAll({ after: pageInfo.endCursor }))).toEqual([id]);
  });

  test('pages contain each change of all users once, in order, including deletions', async () => {
    const after = await findEnd();
    const [one, other] = [await createUser('One'), await createUser('Other')];
    await rename(one, 'One more');
    await logChange(undefined, { ...(await findItem(userKey(one))), sk: 'POST#not-a-user', title: 'x' });
    await remove(other);
    const expected = [
      ['CREATED', one, 1, { name: 'One', version: 1 }, ['name', 'email']],
      ['CREATED', other, 1, { name: 'Other', version: 1 }, ['name', 'email']],
      ['UPDATED', one, 2, { name: 'One more', version: 2 }, ['name']],
      ['DELETED', other, 2, null, ['name', 'email']],
    ];
    for (const first of [1, 2, 3, 4, 100]) {
      const nodes = await readAll({ after, first });
      expect(nodes.map(({ kind, id, version, user, changed }) => [kind, id, version, user, changed])).toEqual(expected);
    }
    const { edges, nodes, pageInfo } = await readPage({ after, first: 2 });
    expect(edges).toEqual(nodes.map(({ cursor, id }) => ({ cursor, node: { id } })));
    expect(pageInfo).toEqual({ hasNextPage: true, endCursor: nodes[1]?.cursor });
    const last = await readPage({ after, first: 4 });
    expect(last.pageInfo.hasNextPage).toBe(false);
    expect(await readPage({ after: last.pageInfo.endCursor })).toMatchObject({
      nodes: [],
      pageInfo: { hasNextPage: false },
    });
  });

  test('cursors of pages and subscriptions are interchangeable', async () => {
    const after = await findEnd();
    const entries = [['a1', 'a2', 'a3'], ['b1'], ['c1', 'c2']];
    for (const ids of entries) await append(ids.map((id) => newChange(id)));
    const ids = entries.flat();
    const stop = new AbortController();
    for (const first of [1, 2, 3, 4, 5]) {
      const page = await readPage({ after, first });
      const subscriber = await startSubscriber(allUsers, stop.signal, page.pageInfo.endCursor);
      const rest = await subscriber.take(ids.length - first);
      expect([...listIds(page.nodes), ...listIds(rest)]).toEqual(ids);
      expect(listIds(await readAll({ after: rest[0]?.cursor }))).toEqual(ids.slice(first + 1));
    }
    stop.abort();
  });

  test('without a start, the list begins with the oldest kept change', async () => {
    const oldest = (await readAll({ first: 100 }))[0]?.id;
    await append([newChange('new')]);
    const nodes = await readAll({ first: 100 });
    expect([nodes[0]?.id, nodes.at(-1)?.id]).toEqual([oldest, 'new']);
  });

  test('since begins with the first change of that time, even if it was logged later', async () => {
    const time = now();
    const at = (ms: number) => ({ at: new Date(time + ms).toISOString(), streamedAt: time + ms });
    await append([newChange('before', at(-1))]);
    await append([newChange('at once', at(0)), newChange('late', at(-2))]);
    const since = new Date(time).toISOString();
    expect(listIds(await readAll({ since }))).toEqual(['at once']);
    expect(listIds(await readAll({ after: since }))).toEqual(['at once']);
  });

  test('an import with old timestamps counts as a change made now, and its cursor can be resumed', async () => {
    const since = new Date(now() - 1_000).toISOString();
    await append([newChange('imported', { at: '2019-01-01T00:00:00.000Z' }), newChange('next')]);
    const [imported] = (await readAll({ since })).filter(({ id }) => id === 'imported');
    expect(listIds(await readAll({ after: imported?.cursor }))).toEqual(['next']);
  });

  test('a consumer that finds no change for days keeps its cursor', async () => {
    let time = now();
    let after = await findEnd();
    for (let polls = 0; polls < 4; polls++) {
      time += 20 * HOUR_MS;
      setTime(time);
      const { nodes, pageInfo } = await readPage({ after });
      expect(nodes).toEqual([]);
      after = pageInfo.endCursor;
    }
    await append([newChange('monday', { at: new Date(time).toISOString(), streamedAt: time })], newEnd());
    expect(listIds(await readAll({ after }))).toEqual(['monday']);
  });

  test('a user damaged by hand does not block readers of the rest', async () => {
    const after = await findEnd();
    await append([newChange('damaged', { item: { pk: 'USER#damaged', name: 1 } }), newChange('next')]);
    expect((await readAll({ after })).map(({ id, user }) => [id, user])).toEqual([
      ['damaged', null],
      ['next', null],
    ]);
  });

  test.each([
    [{ first: 0 }, 'first: must be at least 1'],
    [{ first: 101 }, 'first: must be at most 100'],
    [{ first: 2 ** 31 - 1 }, 'first: must be at most 100'],
    [{ after: 'x' }, 'after: must be a cursor of these changes, or a time in ISO 8601'],
    [
      { after: Buffer.from(JSON.stringify([allUsers.name, 0, now(), '9'.repeat(40), 0])).toString('base64url') },
      'after: must be a cursor of these changes, or a time in ISO 8601',
    ],
  ])('%j is BAD_USER_INPUT', async (variables, message) => {
    const response = await request(variables);
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.message).toBe(message);
  });

  test('is rejected if the change log is turned off', async () => {
    vi.stubEnv('CHANGE_LOG', 'off');
    expect((await request({})).errors?.[0]?.message).toBe(
      'since: needs the change log, which is turned off in this service',
    );
  });

  test('requires the right list', async () => {
    const contextValue = createGraphqlContext({ caller: 'ada', claims: { scope: 'users:read' } });
    vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
    const document = parse('{ userChanges { nodes { id } } }');
    const { errors } = await executeHere({ schema, document, contextValue });
    expect(errors?.[0]?.message).toBe('This requires the scope users:list');
  });

  test('counts towards the cost of an operation', async () => {
    const aliases = Array.from({ length: 8 }, (_, at) => `a${at}: user { id name email version createdAt updatedAt }`);
    const { errors } = await execute(`{ userChanges(first: 100) { nodes { ${aliases.join(' ')} } } }`);
    expect(errors?.[0]?.message).toMatch(/costs \d+, which is more than 5000/);
  });

  test('posts are skipped in bounded steps, so a page may be empty although more follow', async () => {
    const after = await createCursorAtEnd(allUsers);
    const author = crypto.randomUUID();
    const newPostChange = () => newChange(`${author}.${crypto.randomUUID()}`);
    sizes.refsPerPage = 20;
    for (let entry = 0; entry < 3; entry++) await append(Array.from({ length: 10 }, newPostChange));
    await append([newChange('user')]);
    const first = await readChangesPage(after, 10);
    expect({ ids: listIds(first.changes), hasMore: first.hasMore }).toEqual({ ids: [], hasMore: true });
    const second = await readChangesPage(first.end, 10);
    expect({ ids: listIds(second.changes), hasMore: second.hasMore }).toEqual({ ids: ['user'], hasMore: false });
  });
});

describe('the reach of the log', () => {
  const reachesBackTo = (ms: number) =>
    `is too early: the change log reaches back to ${new Date(ms).toISOString()}; read all users, then the changes since a minute before`;

  const setOwnEpoch = (attributes: { since: number; keptSeconds?: number; keptSince?: number }) =>
    table.send(
      new UpdateCommand({
        TableName,
        Key: epochKey(EPOCH),
        UpdateExpression: 'SET since = :since, keptSeconds = :kept, keptSince = :keptSince',
        ExpressionAttributeValues: {
          ':since': new Date(attributes.since).toISOString(),
          ':kept': attributes.keptSeconds ?? 25 * 3600,
          ':keptSince': attributes.keptSince === undefined ? null : new Date(attributes.keptSince).toISOString(),
        },
      }),
    );

  test('is 25 hours by default, and rejects an earlier time or cursor with the start of the log', async () => {
    await append([newChange('ada')]);
    // Starts at the end, because earlier tests logged changes with later times.
    const endCursor = await findEnd();
    const later = now() + 24 * HOUR_MS;
    setTime(later);
    expect((await request({ after: endCursor })).errors).toBeUndefined();
    setTime(later + 2 * HOUR_MS);
    const message = reachesBackTo(later + 2 * HOUR_MS - 25 * HOUR_MS);
    expect((await request({ after: endCursor })).errors?.[0]?.message).toBe(`after: ${message}`);
    const since = new Date(later - 24 * HOUR_MS).toISOString();
    const response = await request({ since });
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.message).toBe(`since: ${message}`);
  });

  test('is historyDays, across restarts of the log', async () => {
    vi.stubEnv('HISTORY_DAYS', '30');
    const start = now() + 100 * 24 * HOUR_MS;
    const changedOn = [1, 2, 9, 10, 24].map((day) => ({ id: `day ${day}`, time: start + day * 24 * HOUR_MS }));
    for (const { id, time } of changedOn) {
      setTime(time);
      await append([newChange(id, { at: new Date(time).toISOString(), streamedAt: time })], newEnd());
    }
    await setOwnEpoch({ since: start - 100 * 24 * HOUR_MS, keptSeconds: 30 * 24 * 3600 });
    for (const [index, { time }] of changedOn.entries()) {
      const since = new Date(time - HOUR_MS).toISOString();
      expect(listIds(await readAll({ since, first: 1 }))).toEqual(changedOn.slice(index).map(({ id }) => id));
    }
    const { pageInfo } = await readPage({ since: new Date(start + 25 * HOUR_MS).toISOString(), first: 1 });
    expect(listIds(await readAll({ after: pageInfo.endCursor }))).not.toContain('day 1');
  });

  test('order-log entries expire an hour after the reach', async () => {
    for (const [days, hours] of [
      [undefined, 26],
      ['30', 30 * 24 + 1],
    ] as const) {
      vi.stubEnv('HISTORY_DAYS', days);
      await append([newChange('ada')], newEnd());
      const { number } = await readLogEnd();
      const item = await findItem({ pk: `CHANGES#${allUsers.name}`, sk: formatPosition(number) });
      expect(Number(item?.expiresAt) - now() / 1000).toBeGreaterThan(hours * 3600 - 60);
      expect(Number(item?.expiresAt) - now() / 1000).toBeLessThanOrEqual(hours * 3600);
    }
  });

  test('grows over time after an increase of historyDays', async () => {
    await setOwnEpoch({ since: now() - 100 * 24 * HOUR_MS });
    vi.stubEnv('HISTORY_DAYS', '30');
    const raised = now();
    setTime(raised);
    await append([newChange('ada')], newEnd());
    const reject = async (since: number) =>
      (await request({ since: new Date(since).toISOString() })).errors?.[0]?.message;
    expect(await reject(raised - 26 * HOUR_MS)).toBe(`since: ${reachesBackTo(raised - 25 * HOUR_MS)}`);
    setTime(raised + 10 * 24 * HOUR_MS);
    expect(await reject(raised)).toBe(`since: ${reachesBackTo(raised + HOUR_MS)}`);
    expect(await reject(raised + 2 * HOUR_MS)).toBeUndefined();
    setTime(raised + 40 * 24 * HOUR_MS);
    expect(await reject(raised + 2 * HOUR_MS)).toBe(`since: ${reachesBackTo(raised + 10 * 24 * HOUR_MS)}`);
  });

  test('excludes the time before the log was turned on or the table was restored', async () => {
    await createUser();
    const begun = now() + 2 * HOUR_MS;
    await setOwnEpoch({ since: begun });
    setTime(begun + HOUR_MS);
    const response = await request({ since: new Date(begun - 1_000).toISOString() });
    expect(response.errors?.[0]?.message).toBe(`since: ${reachesBackTo(begun)}`);
    expect((await request({ since: new Date(begun).toISOString() })).errors).toBeUndefined();
  });

  test('finds the position of each time', async () => {
    await setOwnEpoch({ since: 0 });
    environment.now = now;
    const times: { time: number; position: string }[] = [];
    for await (const entries of readOrder(MIN_POSITION, { ConsistentRead: true }))
      for (const { at, position } of entries) times.push({ time: at, position });
    for (const { time } of times.filter((_, at) => at % 5 === 0)) {
      const expected = times.findLast((each) => each.time < time)?.position;
      const found = await findOrderPosition(time);
      const next = times.find(({ position }) => position > found);
      expect(next?.time).toBe(time);
      expect(found >= (expected ?? MIN_POSITION)).toBe(true);
    }
  });
});

describe('listChangedUsers', () => {
  const list = async (since: string, limit = 100) => {
    const found: { id: string; name: string }[] = [];
    for (let after: string | undefined; ; ) {
      const page = await listChangedUsers({ since, after, limit });
      expect(page.users.length).toBeLessThanOrEqual(limit);
      found.push(...page.users.map(({ user: { id, name } }) => ({ id, name })));
      if (!page.hasMore) return { found, next: page.next };
      after = page.next;
    }
  };

  async function begin(): Promise<string> {
    const time = now();
    await expect.poll(() => now()).toBeGreaterThan(time);
    return new Date(now()).toISOString();
  }

  test('returns existing users once, in their current version, in the order of their last change', async () => {
    await setEpochToNew();
    const since = await begin();
    const [ada, bob, eve, tom] = [
      await createUser(),
      await createUser('Bob'),
      await createUser('Eve'),
      await createUser(),
    ];
    for (let index = 1; index <= 5; index++) await rename(ada, `Ada ${index}`);
    await remove(tom);
    await rename(bob, 'Robert');
    const expected = [
      { id: eve, name: 'Eve' },
      { id: ada, name: 'Ada 5' },
      { id: bob, name: 'Robert' },
    ];
    for (const limit of [2, 100]) expect((await list(since, limit)).found).toEqual(expected);
    const { next } = await list(since);
    await rename(eve, 'Eva');
    const { users } = await listChangedUsers({ since, after: next, limit: 10 });
    expect(users.map(({ user }) => user.name)).toEqual(['Eva']);
  });

  test('returns a user whose latest change is not logged yet', async () => {
    const since = await begin();
    const id = await createUser('One');
    await rename(id, 'Two');
    await mutate('updateUser', { id, name: 'Three' });
    expect((await list(since)).found).toEqual([{ id, name: 'Three' }]);
  });

  test('changes of posts do not count as changes of their author', async () => {
    const id = await createUser();
    const since = await begin();
    const post = await createPost(id);
    await logChange(undefined, await findItem({ pk: userKey(id).pk, sk: `POST#${post.id.split('.')[1]}` }));
    expect((await list(since)).found).toEqual([]);
  });

  test('is rejected if the change log is turned off', async () => {
    vi.stubEnv('CHANGE_LOG', 'off');
    await expect(listChangedUsers({ since: new Date(now()).toISOString(), limit: 10 })).rejects.toThrow(
      'changedSince: needs the change log, which is turned off in this service',
    );
  });

  test('rejects a time before the reach of the log', async () => {
    await expect(listChangedUsers({ since: new Date(now() - 26 * HOUR_MS).toISOString(), limit: 10 })).rejects.toThrow(
      /^changedSince: is too early: the change log reaches back to /,
    );
  });

  async function setEpochToNew(): Promise<void> {
    await table.send(
      new UpdateCommand({
        TableName,
        Key: epochKey(EPOCH),
        UpdateExpression: 'SET since = :since',
        ExpressionAttributeValues: { ':since': new Date(0).toISOString() },
      }),
    );
  }
});
