import { expect, test } from 'vitest';
import { changeValues } from '../../../../lib/users/fields/values.ts';

test('changes keep stored values, including undeclared fields', () => {
  expect(changeValues({ old: 1, plan: 'free' }, { plan: 'pro' })).toEqual({ old: 1, plan: 'pro' });
  expect(changeValues({ old: 1, plan: 'free' }, { plan: null })).toEqual({ old: 1 });
  expect(changeValues(undefined, { plan: null })).toBeUndefined();
});

test('writes nothing without changes, but writes an empty map', () => {
  const stored = { plan: 'free' };
  expect(changeValues(stored, {})).toBe(stored);
  expect(changeValues(stored, { plan: null })).toEqual({});
});
