import { expect, test, vi } from 'vitest';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { fetchData, mutate } from '../../graphql/client.ts';
import { logWrite } from '../../on-change/log-write.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

test('a history shows own fields before and after a change, and the names of changed ones', async () => {
  const { payload } = await mutate('createUser', { ...newPerson(), tags: ['math'], age: 36 });
  const id = String(payload?.user.id);
  await logWrite(userKey(id), () => mutate('updateUser', { id, age: null, tags: ['math', 'looms'], isStaff: false }));
  const document =
    'query ($id: ID!) { userHistory(id: $id) { nodes { changed before { age tags plan } after { age tags plan } } } }';
  const { userHistory } = await fetchData<{ userHistory: object }>(document, { id });
  expect(userHistory).toEqual({
    nodes: [
      {
        // `isStaff` is unchanged: the written value, false, equals the default.
        changed: ['age', 'tags'],
        before: { age: 36, tags: ['math'], plan: 'free' },
        after: { age: null, tags: ['math', 'looms'], plan: 'free' },
      },
    ],
  });
});
