import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readOwnFields } from '../../../infra/scripts/transfer/deployment.ts';
import { formatCell, parseCell } from '../../../infra/transfer/cells.ts';
import { importRows, type RowResult } from '../../../infra/transfer/import-rows.ts';
import { GroupIndex, nameGroups, resolveMemberships } from '../../../infra/transfer/memberships.ts';
import { Pace } from '../../../infra/transfer/pace.ts';
import { type Row, type RowOptions, readRows } from '../../../infra/transfer/rows.ts';
import { findGroups } from '../../../infra/transfer/service-groups.ts';
import { openComparison } from '../../../infra/transfer/service-target.ts';
import { type Client, createClient } from '../../../lib/client/client.ts';
import { countRuns } from '../../setup/seed.ts';
import { type Service, startServiceHere } from '../../setup/service.ts';
import { newPerson } from '../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

const [ACME, GLOBEX, THIRD] = [1, 2, 3].map((at) => `01890000-0000-7000-8000-00000000000${at}`) as [
  string,
  string,
  string,
];
/** The external id of the second group is the id of the third one. */
const GROUPS = [
  { id: ACME, externalId: 'acme' },
  { id: GLOBEX, externalId: THIRD },
  { id: THIRD, externalId: null },
];

const createIndex = () =>
  new GroupIndex(async ({ ids, externalIds }) =>
    GROUPS.filter(({ id, externalId }) => ids.includes(id) || externalIds.includes(externalId ?? '-')),
  );

async function read(text: string, options: RowOptions = {}): Promise<Row[]> {
  const chunks = [new TextEncoder().encode(text)];
  return Array.fromAsync(resolveMemberships(readRows(toAsync(chunks), options), createIndex()));
}

async function* toAsync<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

const readCell = async (cell: string) =>
  (await read(`name,email,groups\nAda,ada@example.org,"${cell.replaceAll('"', '""')}"\n`))[0];
const readValue = async (value: unknown, options: RowOptions = {}) =>
  (await read(`${JSON.stringify({ name: 'Ada', email: 'ada@example.org', groups: value })}\n`, options))[0];

const ada = { name: 'Ada', email: 'ada@example.org' };

describe('memberships of a row', () => {
  test.each([
    ['acme', [{ id: ACME, role: 'member' }]],
    ['acme:owner', [{ id: ACME, role: 'owner' }]],
    [
      ` acme : admin ; ${GLOBEX} ;`,
      [
        { id: ACME, role: 'admin' },
        { id: GLOBEX, role: 'member' },
      ],
    ],
    [`${ACME.toUpperCase()}:admin`, [{ id: ACME, role: 'admin' }]],
    [
      `[{"id":"acme"},{"externalId":"${THIRD}","role":"owner"}]`,
      [
        { id: ACME, role: 'member' },
        { id: GLOBEX, role: 'owner' },
      ],
    ],
  ])('%s becomes ids', async (cell, groups) => {
    expect(await readCell(cell)).toMatchObject({ user: { ...ada, groups } });
  });

  test('texts and objects of JSON become ids', async () => {
    const groups = [{ id: ACME, role: 'admin' }];
    for (const value of [
      'acme:admin',
      ['acme:admin'],
      [{ id: 'acme', role: 'admin' }],
      [{ externalId: 'acme', role: 'admin' }],
    ])
      expect(await readValue(value)).toMatchObject({ user: { ...ada, groups } });
    expect(await readValue([])).toMatchObject({ user: { ...ada, groups: [] } });
    expect(await readCell('')).toMatchObject({ user: ada });
    expect(await readCell('')).not.toHaveProperty('user.groups');
  });

  test.each([
    ['initech', 'the group "initech" does not exist'],
    ['acme:boss', 'the group "acme:boss" does not exist. Roles are member, admin, owner'],
    [THIRD, `"${THIRD}" is the id of one group, and the externalId of another`],
    [`acme;${ACME}`, 'must not repeat a group'],
    ['[{"role":"admin"}]', 'must have either id or externalId'],
    ['[{"id":"acme","role":"boss"}]', 'must be one of member, admin, owner'],
    ['[acme]', expect.stringContaining('is not JSON')],
    ['[{"id":"acme","since":2020}]', 'is not a known member'],
  ])('%s is an issue of the row', async (cell, message) => {
    const row = await readCell(cell);
    expect(row?.issues).toMatchObject([{ message }]);
    expect(row?.issues?.[0]?.column).toMatch(/^groups/);
  });

  test('rows before a fault of the file are returned', async () => {
    async function* rows() {
      yield* await read('name,email\nAda,ada@example.org\n');
      throw new Error('broken');
    }
    const resolved = resolveMemberships(rows(), createIndex());
    expect((await resolved.next()).value).toMatchObject({ user: ada });
    await expect(resolved.next()).rejects.toThrow('broken');
  });
});

test('a cell with any external ids and roles is read as it was written', () => {
  const id = fc.oneof(
    fc.string({ unit: fc.constantFrom(...`:;[]"' ,a`), minLength: 1, maxLength: 8 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    fc.constantFrom('urn:admin', 'a:member', 'admin', ':owner', THIRD),
  );
  const references = fc.array(fc.record({ externalId: id, role: fc.constantFrom('member', 'admin', 'owner') }), {
    minLength: 1,
    maxLength: 3,
  });
  const rename = (value: unknown) =>
    (value as { id?: string; externalId?: string; role?: string }[]).map(({ id, externalId, role = 'member' }) => ({
      externalId: externalId ?? id,
      role,
    }));
  fc.assert(
    fc.property(references, (groups) => {
      expect(rename(parseCell('groups', String(formatCell('groups', groups))))).toEqual(groups);
    }),
    { numRuns: countRuns(2_000) },
  );
});

test('an export names groups by external id, or else by id, and leaves out deleted ones', async () => {
  let leftOut = 0;
  const user = {
    id: '1',
    groups: [ACME, THIRD, '01890000-0000-7000-8000-000000000009'].map((id) => ({ id, role: 'admin' })),
  };
  const onLeftOut = (count: number) => {
    leftOut += count;
  };
  expect(await nameGroups([user, { id: '2' }], { index: createIndex(), onLeftOut })).toEqual([
    {
      id: '1',
      groups: [
        { externalId: 'acme', role: 'admin' },
        { id: THIRD, role: 'admin' },
      ],
    },
    { id: '2' },
  ]);
  expect(leftOut).toBe(1);
});

describe('a service', () => {
  let service: Service;
  let client: Client;
  beforeAll(async () => {
    service = await startServiceHere();
    client = createClient({ baseUrl: service.url, fields: ['plan', 'groups'] });
  });
  afterAll(() => service.stop());

  test('publishes roles in OpenAPI, and in GraphQL for deployments without pages', async () => {
    const graphqlUrl = `${service.url}/graphql`;
    const declared = { type: 'membership', list: true, roles: ['member', 'admin', 'owner'], default: [] };
    const limited = await readOwnFields({ url: service.url, graphqlUrl, sigv4: false });
    expect(limited.fields.groups).toMatchObject({ ...declared, maxItems: 3 });
    expect(limited.unchecked).toEqual([]);
    const withoutPages = await readOwnFields({ url: graphqlUrl, graphqlUrl, sigv4: false });
    expect(withoutPages.fields.groups).toMatchObject(declared);
    expect(withoutPages.unchecked).toEqual(['plan', 'groups']);
  });

  test('is compared with rows: equal memberships are unchanged, and unknown groups are rejected', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `compared.${at}`);
    const groups = await Promise.all(names.map((name) => client.groups.create({ name, externalId: name })));
    const person = newPerson();
    const [first, second] = groups.map(({ id }) => id);
    await client.users.create({ ...person, groups: [{ id: first, role: 'admin' }, { id: second }] } as typeof person);
    const compare = async (cells: string[]) => {
      const counts = { unchanged: 0, changed: 0, moved: 0, created: 0, erased: 0 };
      const results: RowResult[] = [];
      const target = openComparison(client, counts);
      const index = new GroupIndex((names) => findGroups(client, names));
      const lines = cells.map((cell, at) => `${person.name},${at === 0 ? person.email : newPerson().email},${cell}`);
      const rows = readRows(toAsync([new TextEncoder().encode(['name,email,groups', ...lines].join('\n'))]));
      await importRows(resolveMemberships(rows, index), {
        target,
        pace: new Pace({ maxLimit: 1, isBusy: () => false }),
        results: { doneUpTo: 0, append: (written) => results.push(...written) },
      });
      return { ...counts, rejected: results.filter(({ result }) => result === 'invalid').length };
    };
    const none = { unchanged: 0, changed: 0, moved: 0, created: 0, erased: 0, rejected: 0 };
    expect(await compare(['compared.0:admin;compared.1'])).toEqual({ ...none, unchanged: 1 });
    expect(await compare(['compared.0:owner;compared.1'])).toEqual({ ...none, changed: 1 });
    expect(await compare(['compared.0:admin;initech'])).toEqual({ ...none, rejected: 1 });
    expect(await compare(['', ...names])).toEqual({ ...none, unchanged: 1, created: 20 });
  });
});
