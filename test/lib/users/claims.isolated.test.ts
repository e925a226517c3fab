import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { deleteItems, putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { emailKey, uniqueKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { rewriteUsers } from '../../../lib/features/backfill/rewrite.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { findStoredUser, getUser } from '../../../lib/users/read.ts';
import { findUserByEmail, findUserByField } from '../../../lib/users/unique-values.ts';
import { replaceUser, updateUser } from '../../../lib/users/write.ts';
import { createUser } from '../../setup/create-user.ts';
import { newPerson } from '../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

const newUser = (fields: object = {}) => createUser({ ...newPerson(), ...fields });

/** Writes no claim, like a release without `unique`. */
const setNickname = (id: string, nickname: string | undefined) =>
  table.send(
    new UpdateCommand({
      TableName,
      Key: userKey(id),
      UpdateExpression: 'SET #fields = :fields, version = version + :one',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':fields': nickname === undefined ? {} : { nickname }, ':one': 1 },
    }),
  );

const findOwner = async (nickname: string) =>
  (await findUserByField({ name: 'nickname', type: 'string' }, nickname))?.id;

const readClaim = async (nickname: string) =>
  (await table.send(new GetCommand({ TableName, Key: uniqueKey('nickname', nickname), ConsistentRead: true }))).Item;

test('a claim names the user and the version that made it', async () => {
  const { id } = await newUser({ nickname: 'Ada' });
  expect(await readClaim('ada')).toMatchObject({ userId: id, version: 1 });
});

test('the claim of a deleted user does not block the value', async () => {
  await putItems([{ ...uniqueKey('nickname', 'gone'), userId: '01890000-0000-7000-8000-000000000000', version: 1 }]);
  expect(await findOwner('gone')).toBeUndefined();
  const { id } = await newUser({ nickname: 'Gone' });
  expect(await findOwner('gone')).toBe(id);
});

test('the claim of a user whose value other code changed is free once on-change has corrected the record', async () => {
  const first = await newUser({ nickname: 'left' });
  await setNickname(first.id, undefined);
  expect((await updateUser({ id: first.id, nickname: 'left' } as never, 'test')).fields).toEqual({ nickname: 'left' });
  await setNickname(first.id, 'other');
  await expect(newUser({ nickname: 'left' })).rejects.toThrow('Another user has this nickname');
  const changed = await findStoredUser(first.id);
  if (changed) await rewriteUsers([changed]);
  const second = await newUser({ nickname: 'left' });
  expect(await findOwner('left')).toBe(second.id);
});

test('of several users who race for a value with a stale claim, one gets it', async () => {
  await putItems([{ ...uniqueKey('nickname', 'raced'), userId: '01890000-0000-7000-8000-000000000000', version: 1 }]);
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => newUser({ nickname: 'raced' })));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('users who share a value from before it was unique can be read, changed and deleted, and the claim stays', async () => {
  const owner = await newUser({ nickname: 'twin' });
  const [twin, other, third] = [await newUser(), await newUser(), await newUser()];
  for (const { id } of [twin, other, third]) await setNickname(id, 'twin');
  expect((await updateUser({ id: twin.id, name: 'Twin' }, 'test')).fields).toEqual({ nickname: 'twin' });
  expect((await updateUser({ id: twin.id, nickname: 'Different' } as never, 'test')).fields).toEqual({
    nickname: 'Different',
  });
  const { fields } = await replaceUser({ id: other.id, ...newPerson() }, 'test');
  expect(fields).toEqual({});
  await deleteUser({ id: third.id }, 'test');
  expect(await findOwner('twin')).toBe(owner.id);
});

/** Deletes a user before the request of this number. Returns the number of requests. */
async function deleteBefore(number: number, id: string, run: () => Promise<unknown>): Promise<number> {
  let requests = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (++requests === number) await deleteUser({ id }, 'test');
      return next(args);
    },
    { step: 'initialize', name: 'delete' },
  );
  try {
    await run();
  } finally {
    table.middlewareStack.remove('delete');
  }
  return requests;
}

const rewrite = async (id: string) => rewriteUsers([(await findStoredUser(id)) ?? expect.fail('The user is missing')]);

// The first transaction fails because of the owner's claim. The owner is read before the next one.
describe.each([1, 2, 3, 4])(
  'a user who shares a value has its claim once on-change has seen the write, if the owner is deleted before request %i',
  (at) => {
    test.each([
      ['an update', (id: string) => updateUser({ id, name: 'Twin' }, 'test')],
      ['a backfill', rewrite],
    ])('of %s', async (_, write) => {
      const nickname = `shared-${randomUUID()}`;
      const owner = await newUser({ nickname });
      const twin = await newUser();
      await setNickname(twin.id, nickname);
      expect(await deleteBefore(at, owner.id, () => write(twin.id))).toBeGreaterThanOrEqual(at);
      await rewrite(twin.id);
      expect(await findOwner(nickname)).toBe(twin.id);
      await expect(newUser({ nickname })).rejects.toThrow('Another user has this nickname');
    });
  },
);

test('a claim is not removed as stale if an import has restored its user', async () => {
  const owner = await newUser({ nickname: 'back' });
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(owner.id) }));
  await deleteItems([userKey(owner.id)]);
  table.middlewareStack.add(
    (next) => async (args) => {
      if (JSON.stringify(args.input).includes('"ConditionCheck"')) await putItems([Item ?? {}]);
      return next(args);
    },
    { step: 'initialize', name: 'bring back' },
  );
  try {
    await expect(newUser({ nickname: 'back' })).rejects.toThrow('Another user has this nickname');
  } finally {
    table.middlewareStack.remove('bring back');
  }
  expect(await findOwner('back')).toBe(owner.id);
});

test('a value without a claim can be changed', async () => {
  const { id } = await newUser({ nickname: 'unclaimed' });
  await deleteItems([uniqueKey('nickname', 'unclaimed')]);
  await updateUser({ id, nickname: 'claimed' } as never, 'test');
  expect(await findOwner('claimed')).toBe(id);
});

test('values of undeclared fields stay stored and are not returned', async () => {
  const { id } = await newUser({ nickname: 'kept' });
  await table.send(
    new UpdateCommand({
      TableName,
      Key: userKey(id),
      UpdateExpression: 'SET #fields.former = :value',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':value': 1 },
    }),
  );
  await updateUser({ id, nickname: 'kept on' } as never, 'test');
  await replaceUser({ id, ...newPerson() }, 'test');
  expect((await getUser({ id })).fields).toEqual({ former: 1 });
});

test('an address is found by its claim', async () => {
  const { id, email } = await newUser();
  expect((await findUserByEmail(email))?.id).toBe(id);
});

test('a claim without userId fails a write of its value at once, as another user may own the value', async () => {
  const { email, ...person } = newPerson();
  const { id } = await newUser();
  await putItems([{ ...emailKey(email), version: 1 }]);
  // The log contains this message, so it must not contain the address.
  const error = new Error('Invalid EMAIL claim: userId is missing; run check-table --repair');
  await expect(createUser({ ...person, email })).rejects.toThrow(error);
  await expect(updateUser({ id, email }, 'test')).rejects.toThrow(error);
  await expect(findUserByEmail(email)).rejects.toThrow(error);
});
