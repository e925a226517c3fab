import { expect, test } from 'vitest';
import { findFieldError, findFormError, fromRestError } from '../../../../../infra/web/console/api/errors.ts';
import { concurrentChanges, invalidInput, valueTaken } from '../../../../../lib/errors.ts';
import { toRestError } from '../../../../../lib/rest/errors.ts';

const receive = (thrown: Error) => {
  const { status, body } = toRestError(thrown);
  return fromRestError(status, body);
};

test.each([
  ['an address that is taken', valueTaken('email'), 'Another user has this email'],
  ['an invalid address', invalidInput(['email'], 'must be an email address'), 'must be an email address'],
])('%s is an error of the address', (_, thrown, message) => {
  const error = receive(thrown);
  expect([findFieldError(error, 'email'), findFormError(error, ['name', 'email'])]).toEqual([message, undefined]);
});

test('concurrent changes are an error of no field, although their status is that of an address that is taken', () => {
  const error = receive(concurrentChanges());
  expect(findFieldError(error, 'email')).toBe(undefined);
  expect(findFormError(error, ['name', 'email'])).toBe('Other requests are changing this record; please try again');
});
