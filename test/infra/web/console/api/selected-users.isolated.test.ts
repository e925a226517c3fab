import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { deleteUsers, readDeletable, readUsers } from '../../../../../infra/web/console/api/selected-users.ts';
import type { User } from '../../../../../infra/web/console/api/users.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';

const time = '2026-11-22T10:00:00.000Z';
const newUser = (id: string, members: Partial<User> = {}): User => ({
  ...{ id, name: `User ${id}`, email: `${id}@example.org`, version: 3, createdAt: time, updatedAt: time },
  ...members,
});

type Document = { query: string; variables: { ids: string[]; input: { users: object[] } } };

function serve(answer: (document: Document) => object) {
  const send = vi.fn(async (_url: unknown, init?: RequestInit) =>
    Response.json({ data: answer(JSON.parse(String(init?.body))) }),
  );
  vi.stubGlobal('fetch', send);
  return send;
}

const serveUsers = (...users: User[]) =>
  serve(({ variables }) => ({ usersByIds: variables.ids.map((id) => users.find((user) => user.id === id) ?? null) }));

beforeEach(() => ownFields.set(() => []));

test('users are read 100 at a time, in the order of their ids', async () => {
  const users = Array.from({ length: 201 }, (_, at) => newUser(`${at}`));
  const ids = users.map(({ id }) => id).toReversed();
  const send = serveUsers(...users);
  expect((await readUsers(ids)).map(({ id }) => id)).toEqual(ids);
  expect(send).toHaveBeenCalledTimes(3);
});

test('a user who is as listed can be deleted at the version that was read', async () => {
  const user = newUser('1');
  serveUsers(user);
  const { version, ...listed } = user;
  expect(await readDeletable([listed])).toEqual({ unchanged: [user], gone: [], failures: [] });
});

test.each([{ name: 'Renamed' }, { email: 'other@example.org' }, { plan: 'pro' }])(
  'a user changed to %o since the list was read is a failure',
  async (change) => {
    ownFields.set(() => [{ name: 'plan', type: 'string' }]);
    const listed = newUser('1', { plan: 'free' });
    const user = { ...listed, ...change };
    serveUsers(user);
    const failures = [{ user, reason: 'The user has changed since it was listed' }];
    expect(await readDeletable([listed])).toEqual({ unchanged: [], gone: [], failures });
  },
);

test('a user who does not exist any more is gone', async () => {
  serveUsers();
  expect(await readDeletable([newUser('1')])).toEqual({ unchanged: [], gone: ['1'], failures: [] });
});

test('a deletion names the versions, and one who was deleted already is no failure', async () => {
  const users = [newUser('1'), newUser('2'), newUser('3')];
  const errors = [null, { code: 'NOT_FOUND', message: 'User not found' }, { code: 'CONFLICT', message: 'Changed' }];
  const results = users.map(({ id }, at) => ({ id, error: errors[at] }));
  const send = serve(() => ({ deleteUsers: { results } }));
  expect(await deleteUsers(users)).toEqual([{ user: users[2], reason: 'Changed' }]);
  const { variables }: Document = JSON.parse(String(send.mock.calls[0]?.[1]?.body));
  expect(variables.input.users).toEqual(users.map(({ id }) => ({ id, ifVersion: 3 })));
});
