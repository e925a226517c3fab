import { expect, test } from 'vitest';
import { changeValues } from '../../../../lib/users/fields/values.ts';

test('changes are applied to what is stored, also of fields that are no longer declared', () => {
  expect(changeValues({ old: 1, plan: 'free' }, { plan: 'pro' })).toEqual({ old: 1, plan: 'pro' });
  expect(changeValues({ old: 1, plan: 'free' }, { plan: null })).toEqual({ old: 1 });
  expect(changeValues(undefined, { plan: null })).toBeUndefined();
});

test('without changes nothing is written, and a map that became empty is', () => {
  const stored = { plan: 'free' };
  expect(changeValues(stored, {})).toBe(stored);
  expect(changeValues(stored, { plan: null })).toEqual({});
});
