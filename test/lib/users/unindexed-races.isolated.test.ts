import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { getItems } from '../../../lib/dynamodb/batch.ts';
import { table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { tally } from '../../setup/tally.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped } from '../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

// Updates of fields without an index are single UpdateItem requests, not transactions.

const race = <Result>(count: number, act: (client: typeof bare, index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index % 2 ? bare : enveloped, index)));

const create = async () => ((await bare.create(newPerson())).json as { id: string }).id;

test('an update of fields without an index is one UpdateItem', async () => {
  const id = await create();
  const requests = vi.spyOn(table, 'send');
  expect((await bare.update(id, { age: 36, score: 1 })).status).toBe(200);
  expect(requests.mock.calls.filter(([command]) => command instanceof UpdateCommand)).toHaveLength(1);
  requests.mockRestore();
});

test('concurrent updates of different fields, with and without an index, are all kept', async () => {
  const id = await create();
  const changes = {
    ...{ age: 36, score: 99.5, isStaff: true, birthday: '1815-12-10', phone: '+44 20 7946 0000', plan: 'pro' },
    ...{ name: 'Ada King', tags: ['math'], nickname: `Ada ${id.slice(-12)}` },
  };
  const entries = Object.entries(changes);
  const responses = await race(entries.length, (client, index) =>
    client.update(id, Object.fromEntries([entries[index] ?? []])),
  );
  expect(tally(responses)).toEqual({ 200: entries.length });
  const read = await bare.get(id);
  expect(read.json).toMatchObject(changes);
  expect(read.headers.etag).toMatch(new RegExp(`^"${entries.length + 1}[-"]`));
});

test('of 8 updates with one If-Match, one returns 200 and 7 return 412', async () => {
  const id = await create();
  const headers = { 'if-match': String((await bare.get(id)).headers.etag) };
  const responses = await race(8, (client, index) => client.update(id, { age: index }, headers));
  expect(tally(responses)).toEqual({ 200: 1, 412: 7 });
});

test('a delete and an update leave no part of the user', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await create();
    const [removed, updated] = await race(2, (client, index) =>
      index ? client.update(id, { age: 36 }) : client.remove(id),
    );
    expect([removed?.status, [200, 404].includes(Number(updated?.status))]).toEqual([204, true]);
    expect(await getItems([userKey(id)], { ConsistentRead: true })).toEqual([]);
  }
});
