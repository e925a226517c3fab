import { afterEach, expect, test } from 'vitest';
import { openTableTarget } from '../../../../infra/scripts/transfer/table-target.ts';
import type { RowResult } from '../../../../infra/transfer/import-rows.ts';
import type { UserRow } from '../../../../infra/transfer/rows.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { listPosts } from '../../../../lib/posts/read.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { queryUsers } from '../../../../lib/users/directory.ts';
import { findUser } from '../../../../lib/users/read.ts';
import { createUser } from '../../../setup/create-user.ts';
import { newPerson } from '../../../setup/test-data.ts';

afterEach(() => table.middlewareStack.remove('before'));

const open = (update = false) =>
  openTableTarget({ keepIds: false, keepTimes: false, update, startedAt: new Date().toISOString() });

const newRows = (count: number, posts: UserRow['posts'] = []): UserRow[] =>
  Array.from({ length: count }, (_, at) => ({ line: at + 1, size: 100, user: newPerson(), kept: {}, posts }));

const getId = (result: RowResult | undefined): string => (result && 'id' in result ? result.id : '');

/** Does something once, before the first request that has the text. */
function doBefore(text: string, before: () => Promise<unknown>): void {
  let isDone = false;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (!isDone && JSON.stringify(args.input).includes(text)) {
        isDone = true;
        await before();
      }
      return next(args);
    },
    { step: 'initialize', name: 'before' },
  );
}

const deleteByEmail = async ({ user }: UserRow) => {
  const { users } = await queryUsers(undefined, 1_000);
  await deleteUser({ id: users.find(({ email }) => email === user.email)?.id ?? '' }, 'test');
};

test('a user who is deleted while posts are written does not end the import', async () => {
  const rows = newRows(2, [{ title: 'One' }]);
  doBefore('"ConditionCheck":', () => deleteByEmail(rows[0] as UserRow));
  const results = await (await open()).write(rows);
  expect(results).toMatchObject([{ result: 'created' }, { result: 'created' }]);
  expect(await findUser(getId(results[0]))).toBe(undefined);
  expect(await listPosts(getId(results[1]), {})).toMatchObject([{ title: 'One' }]);
});

test('a user who is deleted before the update is created by the next attempt', async () => {
  const [row] = newRows(1) as [UserRow];
  const { id } = await createUser({ ...row.user, name: 'Other' });
  const target = await open(true);
  doBefore('UpdateExpression', () => deleteUser({ id }, 'test'));
  const error: unknown = await target.write([row]).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  const [result] = await target.write([row]);
  expect(result).toMatchObject({ result: 'created' });
  expect(await findUser(getId(result))).toMatchObject(row.user);
});

test('a row is told as updated although its batch had to be repeated', async () => {
  const rows = newRows(2, [{ title: 'One' }]);
  const users = await Promise.all(rows.map(({ user }) => createUser({ ...user, name: 'Other' })));
  const target = await open(true);
  doBefore('"ConditionCheck":', () => Promise.reject(Object.assign(new Error(), { name: 'ThrottlingException' })));
  const error: unknown = await target.write(rows).catch((error) => error);
  expect(target.isBusy(error)).toBe(true);
  expect(await target.write(rows)).toEqual(users.map(({ id }, at) => ({ line: at + 1, result: 'updated', id })));
});

test('an update adds the posts that a user does not have, however often it is repeated', async () => {
  const [row] = newRows(1, [{ title: 'One', publishedAt: '2026-01-01T00:00:00.000Z' }]) as [UserRow];
  const [result] = await (await open()).write([row]);
  const more = { ...row, posts: [{ title: 'Two' }, { title: 'Two' }, ...row.posts] };
  for (const _ of [1, 2]) await (await open(true)).write([more]);
  const posts = await listPosts(getId(result), {});
  expect(posts.map(({ title }) => title).toSorted()).toEqual(['One', 'Two', 'Two']);
});
