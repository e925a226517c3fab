import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { deleteUsers, readUsers } from '../../../../../infra/web/console/api/selected-users.ts';
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

test('a deletion names the versions, and one who was deleted already is no failure', async () => {
  const users = [newUser('1'), newUser('2'), newUser('3'), newUser('4')];
  const errors = [
    null,
    { code: 'NOT_FOUND', message: 'User not found' },
    { code: 'PRECONDITION_FAILED', message: 'Changed' },
    { code: 'CONFLICT', message: 'Conflict' },
  ];
  const results = users.map(({ id }, at) => ({ id, error: errors[at] }));
  const send = serve(() => ({ deleteUsers: { results } }));
  expect(await deleteUsers(users)).toEqual([
    { user: users[2], reason: 'The user has changed since it was listed' },
    { user: users[3], reason: 'Conflict' },
  ]);
  const { variables }: Document = JSON.parse(String(send.mock.calls[0]?.[1]?.body));
  expect(variables.input.users).toEqual(users.map(({ id }) => ({ id, ifVersion: 3 })));
});
