import { expect, test } from 'vitest';
import { findFieldError, findFormError } from '../../../../../infra/web/console/api/errors.ts';
import { createError } from '../../../../../lib/client/errors.ts';
import { concurrentChanges, invalidInput, valueTaken } from '../../../../../lib/errors.ts';
import { toRestError } from '../../../../../lib/rest/errors.ts';

const receive = (thrown: Error) => {
  const { status, problem } = toRestError(thrown);
  return createError(new Response(null, { status }), problem);
};

test.each([
  ['an address that is taken', valueTaken('email'), 'Another user has this email'],
  ['an invalid address', invalidInput(['email'], 'must be an email address'), 'Email must be an email address'],
])('%s is an error of the address', (_, thrown, message) => {
  const error = receive(thrown);
  expect([findFieldError(error, 'email'), findFormError(error, ['name', 'email'])]).toEqual([message, undefined]);
});

test('a taken value is an error of its field, and an issue within a list names the item', () => {
  expect(findFieldError(receive(valueTaken('nickname')), 'nickname')).toBe('Another user has this nickname');
  expect(findFieldError(receive(valueTaken('nickname')), 'email')).toBe(undefined);
  const tooLong = receive(invalidInput(['tags', 1], 'must have at most 20 characters'));
  expect(findFieldError(tooLong, 'tags')).toBe('Item 2 must have at most 20 characters');
});

test('an issue within a value is an error of its field only, with its path', () => {
  const error = receive(invalidInput(['settings', 'nickname', 0, '__proto__'], 'is a key that is not allowed'));
  expect(findFieldError(error, 'settings')).toBe('Settings: nickname.0.__proto__ is a key that is not allowed');
  expect(findFieldError(error, 'nickname')).toBe(undefined);
});

test('a version conflict is an error of no field, although a taken address has the same status', () => {
  const error = receive(concurrentChanges());
  expect(findFieldError(error, 'email')).toBe(undefined);
  expect(findFormError(error, ['name', 'email'])).toBe('Other requests are changing this record; please try again');
});
