import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { calls } from '../../../../../infra/web/console/api/calls.ts';
import { ApiError } from '../../../../../infra/web/console/api/errors.ts';
import { listPosts } from '../../../../../infra/web/console/api/posts.ts';
import { deleteUser, listUsers } from '../../../../../infra/web/console/api/users.ts';

beforeEach(() => calls.set(() => []));

const answer = (body: string | null, status = 200) =>
  vi.stubGlobal('fetch', async () => new Response(body, { status }));

test.each([
  ['listUsers', () => listUsers({ limit: 20, page: 1, order: 'asc' })],
  ['listPosts', () => listPosts('1')],
])('%s throws an ApiError when a proxy answers with its login page', async (_, request) => {
  answer('<!doctype html><title>Sign in</title>');
  const error = await request().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error.message).toMatch('not the JSON of the service');
  expect(calls.get()).toMatchObject([{ outcome: { status: 200, body: expect.stringContaining('Sign in') } }]);
});

test.each([
  ['listUsers', () => listUsers({ limit: 20, page: 1, order: 'asc' })],
  ['listPosts', () => listPosts('1')],
])('%s throws an ApiError when a proxy answers with other JSON', async (_, request) => {
  answer('{"status":"ok"}');
  await expect(request()).rejects.toMatchObject({ name: 'ApiError', message: expect.stringContaining('not the JSON') });
});

test('a response without a body is no error', async () => {
  answer(null, 204);
  await deleteUser('1', 1);
  expect(calls.get()).toMatchObject([{ outcome: { status: 204 } }]);
});

test('an error response that is not JSON is told by its status', async () => {
  answer('<title>Bad gateway</title>', 502);
  await expect(listPosts('1')).rejects.toMatchObject({ status: 502, message: 'The service answered 502' });
});
