import { afterAll, expect, test, vi } from 'vitest';
import { openServiceTarget } from '../../../infra/transfer/service-target.ts';
import { createClient, createKey } from '../../../lib/client/client.ts';
import { startServiceHere } from '../../setup/service.ts';
import { newPerson } from '../../setup/test-data.ts';

// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/json-own-fields.json';
});

const service = await startServiceHere();
afterAll(() => service.stop());

test('an update with the members of JSON in another order changes nothing', async () => {
  const client = createClient<{ settings: object }>({ baseUrl: service.url, fields: ['settings'] });
  const person = newPerson();
  const { id } = await client.users.create({ ...person, settings: { a: 1, b: [{ c: 2, d: 3 }] } });
  const importSettings = (settings: object) => {
    const user = { ...person, settings };
    const target = openServiceTarget(client, { update: true, importId: createKey() });
    return target.write([{ line: 1, size: 100, user, kept: {}, posts: [] }]);
  };
  expect(await importSettings({ b: [{ d: 3, c: 2 }], a: 1 })).toEqual([{ line: 1, result: 'unchanged', id }]);
  expect(await importSettings({ b: [{ d: 4, c: 2 }], a: 1 })).toEqual([{ line: 1, result: 'updated', id }]);
});
