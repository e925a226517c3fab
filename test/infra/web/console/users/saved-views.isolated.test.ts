import '../browser-globals.ts';
import { afterEach, expect, test } from 'vitest';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import { forgetTypedViews } from '../../../../../infra/web/console/users/saved-views.tsx';

afterEach(() => ownFields.set(() => []));

test('a sign-out removes views with typed filter values, and keeps choices and times', () => {
  ownFields.set(() => [
    { name: 'plan', type: 'string', enum: ['free', 'pro'], filter: true },
    { name: 'isStaff', type: 'boolean', filter: true },
    { name: 'phone', type: 'string', filter: true },
    { name: 'birthday', type: 'date', filter: true },
  ]);
  const filters = {
    all: {},
    pro: { plan: 'pro', isStaff: 'true', createdAfter: '2026-01-01T00:00:00Z' },
    caller: { plan: 'pro', phone: '+44 20 7946 0000' },
    born: { birthday: '1815-12-10' },
    undeclared: { city: 'London' },
  };
  const views = Object.entries(filters).map(([name, filter]) => ({ name, filter, order: 'desc', columns: [] }));
  localStorage.setItem('views', JSON.stringify(views));
  forgetTypedViews();
  const kept = JSON.parse(localStorage.getItem('views') ?? '') as { name: string }[];
  expect(kept.map(({ name }) => name)).toEqual(['all', 'pro']);
});
