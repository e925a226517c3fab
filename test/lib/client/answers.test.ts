import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient, isChanged, isExisting, isInvalid } from '../../../lib/client/client.ts';

// The answers of a service that are hard to provoke.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Sent = { method: string; url: URL; body: { variables: Record<string, unknown> } };

/** Answers with `answer`, without a network. `sent` are the requests so far. */
function connect(answer: (request: Sent, count: number) => Response) {
  const sent: Sent[] = [];
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input), 'http://localhost');
    const request = { method: String(init.method), url, body: init.body ? JSON.parse(String(init.body)) : undefined };
    sent.push(request);
    return answer(request, sent.length);
  };
  return { sent, ...createClient({ baseUrl: 'http://localhost', fetch, retries: { maxAttempts: 3, maxPauseMs: 1 } }) };
}

async function settle<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  await vi.runAllTimersAsync();
  return promise;
}

test.each(['www-authenticate', 'x-amzn-remapped-www-authenticate'])(
  '403 names the missing scope from %s',
  async (header) => {
    const headers = { [header]: 'Bearer error="insufficient_scope", scope="users:read"' };
    const { users } = connect(() => Response.json({ message: 'Forbidden' }, { status: 403, headers }));
    const error = { status: 403, code: 'FORBIDDEN', message: 'This requires the scope users:read' };
    await expect(settle(users.get('x'))).rejects.toMatchObject(error);
  },
);

describe('pages that are too large', () => {
  const tooLarge = () =>
    Response.json({ code: 'BAD_USER_INPUT', issues: [{ path: ['limit'], message: 'lower' }] }, { status: 400 });
  const read = ({ url: { searchParams } }: Sent) => {
    const { include, ...query } = Object.fromEntries(searchParams);
    expect(include).toBe('times');
    return query;
  };

  test('are halved down to one user', async () => {
    const { users, sent } = connect((request) => (read(request).limit === '1' ? Response.json([]) : tooLarge()));
    expect(await settle(Array.fromAsync(users.list({ pageSize: 5 })))).toEqual([]);
    expect(sent.map(read)).toEqual(['5', '2', '1'].map((limit) => ({ limit })));
  });

  test('of one user are an error', async () => {
    const { users, sent } = connect(tooLarge);
    await expect(settle(users.listPage({ limit: 3 }))).rejects.toSatisfy(isInvalid);
    expect(sent.map(read)).toEqual(['3', '1'].map((limit) => ({ limit })));
  });

  test('continue after the last user, because page numbers depend on the limit', async () => {
    const link = '</v1/users?page=2&limit=4&after=a&include=times>; rel="next"';
    const { users, sent } = connect((_, count) => {
      if (count === 2) return tooLarge();
      return Response.json([{ id: String(count) }], { headers: count === 1 ? { link } : {} });
    });
    expect(await settle(Array.fromAsync(users.list({ pageSize: 4 })))).toEqual([{ id: '1' }, { id: '3' }]);
    expect(sent.map(read)).toEqual([{ limit: '4' }, { page: '2', limit: '4', after: 'a' }, { limit: '2', after: 'a' }]);
  });
});

describe('updateMany', () => {
  const current = { id: 'x', name: 'Ada', email: 'ada@example.org', version: 1 };
  const answer = (results: object[]) => Response.json({ data: { updateUsers: { results } } });
  const fail = (code: string, version?: number) =>
    answer([{ user: null, error: { message: code, code, version: version ?? null } }]);
  const written = (version: number) => Response.json({ ...current, name: 'New', version });
  const update = (answers: Response[]) => {
    const { users, sent } = connect(() => answers.shift() ?? answer([]));
    return { sent, results: settle(users.updateMany([{ user: current, changes: { name: 'New' } }])) };
  };

  test('sends a busy user as often as the client may try', async () => {
    const { sent, results } = update([1, 2, 3, 4].map(() => fail('SERVICE_UNAVAILABLE')));
    expect(await results).toMatchObject([{ error: { code: 'SERVICE_UNAVAILABLE' } }]);
    expect(sent).toHaveLength(3);
  });

  test('recognizes a write whose first answer was SERVICE_UNAVAILABLE', async () => {
    const { results } = update([fail('SERVICE_UNAVAILABLE'), fail('PRECONDITION_FAILED', 2), written(2)]);
    expect(await results).toMatchObject([{ user: { name: 'New', version: 2 } }]);
  });

  test.each([
    ['was not retried', [fail('PRECONDITION_FAILED', 2), written(2)]],
    ['is older than the last version', [fail('SERVICE_UNAVAILABLE'), fail('PRECONDITION_FAILED', 3), written(3)]],
    ['was followed by another', [fail('SERVICE_UNAVAILABLE'), fail('PRECONDITION_FAILED', 2), written(3)]],
  ])('does not take the write of another client for its own if it %s', async (_, answers) => {
    const [result] = await update(answers).results;
    expect(isChanged(result?.error)).toBe(true);
  });
});

describe('the history', () => {
  test('is read page by page', async () => {
    const page = (version: number, hasNextPage: boolean) =>
      Response.json({
        data: {
          userHistory: {
            nodes: [{ kind: 'UPDATED', version, before: null, after: null, changed: [] }],
            since: '2026-01-01T00:00:00.000Z',
            pageInfo: { hasNextPage, endCursor: `after ${version}` },
          },
        },
      });
    const { users, sent } = connect((_, count) => page(count, count < 3));
    const entries = await settle(Array.fromAsync(users.history('x', { pageSize: 1 })));
    expect(entries.map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(sent.map(({ body }) => body.variables)).toEqual(
      [undefined, 'after 1', 'after 2'].map((after) => ({ id: 'x', first: 1, ...(after ? { after } : {}) })),
    );
  });

  test('of a user who exists restores nobody', async () => {
    const extensions = { code: 'CONFLICT', reason: 'USER_EXISTS' };
    const { users, sent } = connect(() =>
      Response.json({ data: null, errors: [{ message: 'The user exists', extensions }] }),
    );
    await expect(settle(users.restore('x'))).rejects.toSatisfy(isExisting);
    expect(sent).toHaveLength(1);
  });
});

test('deleted users are read page by page, also after an empty page', async () => {
  const pages = [['a', 'b'], [], ['c']];
  const { users, sent } = connect((_, count) => {
    const nodes = pages[count - 1]?.map((id) => ({ at: '', by: null, user: { id, nickname: null }, mergedInto: null }));
    const pageInfo = { hasNextPage: count < pages.length, endCursor: `after ${count}` };
    return Response.json({ data: { deletedUsers: { nodes, pageInfo } } });
  });
  const deleted = await settle(Array.fromAsync(users.deleted({ pageSize: 2 })));
  expect(deleted.map(({ user }) => user)).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  expect(sent.map(({ body }) => body.variables)).toEqual([
    { first: 2 },
    { first: 2, after: 'after 1' },
    { first: 2, after: 'after 2' },
  ]);
});

describe('the own record', () => {
  const id = crypto.randomUUID();
  const record = (version: number) =>
    Response.json({ id, name: 'New', email: 'ada@example.org' }, { headers: { etag: `"${id}.${version}"` } });
  const reject = (status: number, code: string) => Response.json({ code, detail: code }, { status });
  const lost = () => new Response('{}', { status: 502 });
  const run = (answers: Response[]) => {
    const { me, sent } = connect(() => answers.shift() ?? lost());
    const current = { id, name: 'Ada', email: 'ada@example.org', version: 1 };
    return {
      create: () => settle(me.create({ name: 'New' })),
      update: () => settle(me.update({ name: 'New' }, { current })),
      methods: () => sent.map(({ method }) => method),
    };
  };

  test('is found after a lost answer, if a creation has just made it', async () => {
    const taken = reject(409, 'SUBJECT_TAKEN');
    expect(await run([lost(), taken, record(1)]).create()).toMatchObject({ name: 'New', version: 1 });
  });

  test('is not taken for a new one if it has changed, or if the creation was sent once', async () => {
    const taken = { code: 'SUBJECT_TAKEN' };
    await expect(run([lost(), reject(409, 'SUBJECT_TAKEN'), record(2)]).create()).rejects.toMatchObject(taken);
    const once = run([reject(409, 'SUBJECT_TAKEN'), record(1)]);
    await expect(once.create()).rejects.toMatchObject(taken);
    expect(once.methods()).toEqual(['POST']);
  });

  test('counts as changed after a lost answer only if it has the next version', async () => {
    const stale = () => reject(412, 'PRECONDITION_FAILED');
    expect(await run([lost(), stale(), record(2)]).update()).toMatchObject({ name: 'New', version: 2 });
    await expect(run([lost(), stale(), record(3)]).update()).rejects.toSatisfy(isChanged);
    await expect(run([stale(), record(2)]).update()).rejects.toSatisfy(isChanged);
  });
});
