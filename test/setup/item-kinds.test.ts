import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { putItems } from '../../lib/dynamodb/batch.ts';
import { limitToGrant } from './grants.ts';
import { findItemKind, itemKinds } from './item-kinds.ts';

test('lib/dynamodb/README.md lists every kind of item', () => {
  const [, table = ''] = readFileSync('lib/dynamodb/README.md', 'utf8').split('## Items');
  const rows = [...(table.split('\n## ')[0] ?? '').matchAll(/^\| (?!item |---)(?<item>[^|]+) \|/gm)];
  const names = rows.map(({ groups: { item = '' } = {} }) => item.replace(/\[(.+)\]\(.+\)/, '$1'));
  expect(names.map((name) => (name === 'change' ? 'change of a user' : name)).toSorted()).toEqual(
    itemKinds.map(({ item }) => item).toSorted(),
  );
});

test.each([
  [{ pk: 'USER#a', sk: 'DELETED#POST#b' }, 'post deletion'],
  [{ pk: 'CHANGES#e#USER#a', sk: '001' }, 'change of a user'],
  [{ pk: 'PAGES#2', sk: 'CHECKPOINT' }, 'checkpoint'],
])('%o is a kind of item: %s', (key, item) => {
  expect(findItemKind(key).item).toBe(item);
});

test('an invocation that writes an item of an unknown kind fails', async () => {
  const write = () => putItems([{ pk: 'NOTE#1', sk: 'NOTE', text: 'on Ada' }]);
  const allow = (Resource: string) => [{ Effect: 'Allow' as const, Action: ['dynamodb:BatchWriteItem'], Resource }];
  await expect(limitToGrant('graphql', write, allow)()).rejects.toThrow(
    'No kind of item in test/setup/item-kinds.ts for NOTE#1 NOTE: say what deletion and erasure of a user do with it',
  );
});
