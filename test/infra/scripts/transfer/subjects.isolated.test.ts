import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { UserRow } from '../../../../infra/transfer/rows.ts';
import { newPerson } from '../../../setup/test-data.ts';

// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});
const { openTableTarget } = await import('../../../../infra/scripts/transfer/table-target.ts');
const { openServiceTarget } = await import('../../../../infra/transfer/service-target.ts');
const { createClient, createKey } = await import('../../../../lib/client/client.ts');
const { startServiceHere } = await import('../../../setup/service.ts');

let service: Awaited<ReturnType<typeof startServiceHere>>;
beforeAll(async () => {
  service = await startServiceHere();
});
afterAll(() => service.stop());

const newRow = (line: number, user: object): UserRow => ({
  line,
  size: 100,
  user: { ...newPerson(), ...user },
  kept: {},
  posts: [],
});

const options = {
  keepIds: false,
  keepTimes: false,
  update: true,
  despiteErasure: false,
  startedAt: '2100-01-01',
  importId: '',
};
const targets = {
  table: () => openTableTarget(options),
  API: () => openServiceTarget(createClient({ baseUrl: service.url }), { update: true, importId: createKey() }),
};

test.each(Object.entries(targets))('a subject that cannot be written only rejects its row: %s', async (name, open) => {
  const first = newRow(1, { sub: `${name} 1` });
  const target = await open();
  expect(await target.write([first])).toMatchObject([{ line: 1, result: 'created' }]);
  const rows = [
    newRow(2, { sub: `${name} 1` }),
    { ...first, line: 3, user: { ...first.user, sub: `${name} 2` } },
    newRow(4, { sub: `${name} 3` }),
  ];
  expect(await target.write(rows)).toMatchObject([
    { line: 2, result: 'invalid', issues: [{ column: 'sub' }] },
    { line: 3, result: 'invalid', issues: [{ column: 'sub' }] },
    { line: 4, result: 'created' },
  ]);
});

test.each(Object.entries(targets))('an update moves a unique value to a row before it: %s', async (name, open) => {
  const owner = newRow(1, { nickname: `${name} 1` });
  const target = await open();
  await target.write([owner]);
  const rows = [
    newRow(2, { nickname: `${name} 1` }),
    { ...owner, line: 3, user: { ...owner.user, nickname: `${name} 2` } },
  ];
  expect(await target.write(rows)).toMatchObject([
    { line: 2, result: 'created' },
    { line: 3, result: 'updated' },
  ]);
});
