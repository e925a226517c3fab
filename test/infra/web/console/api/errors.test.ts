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

test('a value that another user has is an error of its field, and a fault of a list names its item', () => {
  expect(findFieldError(receive(valueTaken('nickname')), 'nickname')).toBe('Another user has this nickname');
  expect(findFieldError(receive(valueTaken('nickname')), 'email')).toBe(undefined);
  const tooLong = receive(invalidInput(['tags', 1], 'must have at most 20 characters'));
  expect(findFieldError(tooLong, 'tags')).toBe('Item 2 must have at most 20 characters');
});

test('a fault inside a value is an error of its field alone, with its place', () => {
  const error = receive(invalidInput(['settings', 'nickname', 0, '__proto__'], 'is a key that is not allowed'));
  expect(findFieldError(error, 'settings')).toBe('Settings: nickname.0.__proto__ is a key that is not allowed');
  expect(findFieldError(error, 'nickname')).toBe(undefined);
});

test('concurrent changes are an error of no field, although their status is that of an address that is taken', () => {
  const error = receive(concurrentChanges());
  expect(findFieldError(error, 'email')).toBe(undefined);
  expect(findFormError(error, ['name', 'email'])).toBe('Other requests are changing this record; please try again');
});
