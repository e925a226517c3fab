import { expect, test } from 'vitest';
import {
  deletionKey,
  emailKey,
  formatPostId,
  formerDeletionKey,
  isEmailKey,
  isUniqueKey,
  isUserId,
  newPostKey,
  normalizeId,
  parseAuthorId,
  parseUserId,
  postId,
  postKey,
  requirePostKey,
  uniqueKey,
  userKey,
} from '../../../lib/dynamodb/keys.ts';

const AUTHOR = '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23';
const OWN = '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e24';
/** 36 characters, as a UUID has. */
const NO_UUID = '0'.repeat(36);

test('a user is found by the id alone', () => {
  expect(userKey(AUTHOR)).toEqual({ pk: `USER#${AUTHOR}`, sk: 'USER' });
  expect(parseUserId(userKey(AUTHOR).pk)).toBe(AUTHOR);
  expect([AUTHOR, normalizeId(AUTHOR.toUpperCase())].map(isUserId)).toEqual([true, true]);
  expect([AUTHOR.toUpperCase(), `${AUTHOR}0`, `x${AUTHOR}`, NO_UUID, ''].map(isUserId)).toEqual(
    Array.from({ length: 5 }, () => false),
  );
});

test('a post is in the partition of its author', () => {
  const id = postId(AUTHOR, OWN);
  const key = { pk: `USER#${AUTHOR}`, sk: `POST#${OWN}` };
  expect(postKey(id)).toEqual(key);
  expect(requirePostKey(id)).toEqual(key);
  expect(formatPostId(newPostKey(AUTHOR, OWN))).toBe(id);
  expect(parseAuthorId(id)).toBe(AUTHOR);
});

test.each([
  '',
  AUTHOR,
  `${AUTHOR}.`,
  `.${OWN}`,
  `${AUTHOR}.${NO_UUID}`,
  `${NO_UUID}.${OWN}`,
  `${AUTHOR}.${OWN}.${OWN}`,
])('the id %j names no post', (id) => {
  expect(postKey(id)).toBeUndefined();
  expect(() => requirePostKey(id)).toThrow(`Invalid post id: ${id}`);
});

test('an id without an author has none', () => {
  expect(parseAuthorId(AUTHOR)).toBeUndefined();
});

test('values of two unique fields, and addresses, have different keys', () => {
  const keys = [emailKey('ada'), uniqueKey('nickname', 'ada'), uniqueKey('account', 'ada')];
  expect(new Set(keys.map(({ pk }) => pk)).size).toBe(3);
  expect(keys.map(isEmailKey)).toEqual([true, false, false]);
  expect(keys.map(isUniqueKey)).toEqual([false, true, true]);
});

test('the deletion of a post does not replace the deletion of its author', () => {
  const user = deletionKey(userKey(AUTHOR));
  expect(user).toEqual({ pk: `USER#${AUTHOR}`, sk: 'DELETED' });
  expect(deletionKey(newPostKey(AUTHOR, OWN))).toEqual({ pk: `USER#${AUTHOR}`, sk: `DELETED#POST#${OWN}` });
  expect(formerDeletionKey(user, 3)).toEqual({ pk: `USER#${AUTHOR}`, sk: 'DELETED#3' });
});
