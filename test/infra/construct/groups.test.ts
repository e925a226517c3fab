import { expect, test } from 'vitest';
import { groupKey } from '../../../lib/features/groups/keys.ts';
import { evaluate, readPolicies, TABLE_ARN } from './policies.ts';
import { synthesize } from './synth.ts';

const WRITERS = ['create-user', 'replace-user', 'update-user'];

test('functions that add users to groups may read groups, and no other items at once', async () => {
  const policies = readPolicies(synthesize({ groups: 'on' }));
  const mayRead = (name: string, pk: string) =>
    evaluate(policies, name, 'dynamodb:BatchGetItem', TABLE_ARN, { 'dynamodb:LeadingKeys': [pk] });
  for (const name of WRITERS) {
    expect(await mayRead(name, groupKey('1').pk)).toBe('Allowed');
    expect(await mayRead(name, 'USER#1')).toBe('ImplicitlyDenied');
  }
});

test('without the setting, the template names no groups', () => {
  const off = JSON.stringify(synthesize({ groups: 'off' }).toJSON());
  expect(off).toBe(JSON.stringify(synthesize().toJSON()));
  expect(off).not.toMatch(/GROUP#|FIELDS_FILE/);
});

test('the functions get memberships as an own field', () => {
  expect(JSON.stringify(synthesize({ groups: 'on' }).toJSON())).toContain('FIELDS_FILE');
});

const LISTS = { type: 'string', list: true, filter: true } as const;

test.each([
  ['settings without groups=on', { groupRoles: 'viewer' }, 'The setting groupRoles requires groups=on'],
  [
    'too many derived items',
    { groups: 'on', maxGroups: 20, fields: { tags: { ...LISTS, maxItems: 16 } } },
    'A user can have 50 derived items, but 49 fit: 1 for the address, 10 for the words of the name, 2 for the search for the address and its domain, 1 for sorting by name, 16 for the filter tags, 20 for the setting maxGroups. The smallest change that fits: set maxGroups to 19.',
  ],
])('%s stop the synthesis', (_, context, message) => {
  expect(() => synthesize(context)).toThrow(message);
});
