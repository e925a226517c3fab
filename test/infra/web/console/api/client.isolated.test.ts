import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { calls } from '../../../../../infra/web/console/api/calls.ts';
import { client } from '../../../../../infra/web/console/api/client.ts';
import { deleteUser, listUsers } from '../../../../../infra/web/console/api/users.ts';
import { ClientError } from '../../../../../lib/client/client.ts';

beforeEach(() => calls.set(() => []));

const answer = (body: string | null, status = 200) =>
  vi.stubGlobal('fetch', async () => new Response(body, { status }));

test.each([
  ['listUsers', () => listUsers({ limit: 20, page: 1, order: 'asc' })],
  ['posts.page', () => client.posts.page('1')],
])('%s throws an error when a proxy answers with its login page', async (_, request) => {
  answer('<!doctype html><title>Sign in</title>');
  const error = await request().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ message: expect.stringContaining('not from the service') });
  expect(calls.get()).toMatchObject([{ outcome: { status: 200, body: expect.stringContaining('Sign in') } }]);
});

test.each([
  ['listUsers', () => listUsers({ limit: 20, page: 1, order: 'asc' })],
  ['posts.page', () => client.posts.page('1')],
])('%s throws an error when a proxy answers with other JSON', async (_, request) => {
  answer('{"status":"ok"}');
  await expect(request()).rejects.toMatchObject({
    name: 'ClientError',
    message: expect.stringContaining('not from the service'),
  });
});

test('a response without a body is valid', async () => {
  answer(null, 204);
  await deleteUser({ id: '1', version: 1 });
  expect(calls.get()).toMatchObject([{ outcome: { status: 204 } }]);
});

test('an error response that is not JSON is reported by status after three attempts', async () => {
  answer('<title>Bad gateway</title>', 502);
  await expect(client.posts.page('1')).rejects.toMatchObject({ status: 502, message: 'The service answered 502' });
  expect(calls.get()).toHaveLength(3);
});
