import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkTable } from '../../../../infra/scripts/table-consistency.ts';
import { createClient } from '../../../../lib/client/client.ts';
import { TableName } from '../../../../lib/dynamodb/client.ts';
import { clearTable } from '../../../lib/features/page-index/fixtures.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';
import { createNumbers } from '../../../simulation/random.ts';
import { IGNORE_TIMES, importAndKill, readResults, startCommand } from './import-command.ts';

/** Settings of commands and services. FIELDS_FILE has the same for this process. */
const SETTINGS = vi.hoisted(() => {
  const settings = { GROUPS: 'on', GROUP_ROLES: 'member,admin,owner', MAX_GROUPS: '3' };
  Object.assign(process.env, { FIELDS_FILE: 'test/setup/member-fields.json', ...settings });
  return settings;
});

const folder = mkdtempSync(join(tmpdir(), 'groups-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, lines: string[]): string => {
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};
const read = (file: string): string => readFileSync(file, 'utf8');
const readObjects = (file: string): Record<string, unknown>[] =>
  read(file)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const countResults = (file: string) => {
  const results = readResults(file).map(({ result }) => result);
  return Object.fromEntries(
    [...new Set(results)].map((name) => [name, results.filter((each) => each === name).length]),
  );
};

const COMPANIES = ['externalId,name', 'acme,Acme', 'globex,"Globex; Corp"', 'urn:org:admin,Urn', 'a;b,Semicolon'];
const USERS = [
  'name,email,groups',
  'Ada,ada@example.org,acme:admin;globex',
  'Bob,bob@example.org,',
  'Cy,cy@example.org,urn:org:admin:member; acme : owner',
  'Di,di@example.org,"[{""externalId"":""a;b"",""role"":""admin""}]"',
];

describe('by the APIs', () => {
  let services: LocalService[];
  beforeAll(async () => {
    const start = () => startLocalService(['--memory'], SETTINGS);
    services = [await start(), await start()];
  });
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  const run = (script: 'import' | 'export', at: number, ...args: string[]) =>
    startCommand(script, ['--url', services[at]?.url ?? '', ...args]).ended;

  test.each(['csv', 'ndjson'])(
    'an export as %s is imported without a difference, there and elsewhere',
    async (format) => {
      const [companies, users] = [write(`companies-${format}.csv`, COMPANIES), write(`users-${format}.csv`, USERS)];
      expect(await run('import', 0, '--groups', companies, users)).toMatchObject({ code: 0 });
      const names = ['groups', 'users', 'groups-again', 'users-again'].map((name) => join(folder, `${name}.${format}`));
      const [groups = '', exported = '', ...again] = names;
      expect(await run('export', 0, '--groups', groups, exported)).toMatchObject({ code: 0 });
      expect(read(exported)).toContain(
        format === 'csv' ? ',acme:admin;globex,' : '{"externalId":"acme","role":"admin"}',
      );

      const update = ['--update', ...IGNORE_TIMES, '--groups', groups, exported];
      expect(await run('import', 0, ...update)).toMatchObject({ code: 0, errors: '' });
      expect([countResults(groups), countResults(exported)]).toEqual([{ unchanged: 4 }, { unchanged: 4 }]);

      // A service without these groups and users.
      const copied = await run('import', 1, '--force', ...update);
      expect(copied).toMatchObject({ code: 0 });
      expect(await run('export', 1, '--groups', again[0] ?? '', again[1] ?? '')).toMatchObject({ code: 0 });
      const withoutIds = (file: string) =>
        read(file).replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
      expect(withoutIds(again[0] ?? '')).toBe(withoutIds(groups));
      expect(withoutIds(again[1] ?? '')).toBe(withoutIds(exported));
    },
  );

  test('a row with an unknown group, role or repeated group is rejected by its name, also in a dry run', async () => {
    const file = write('invalid.csv', [
      'name,email,Company',
      'One,one@example.org,initech:admin',
      'Two,two@example.org,acme:boss',
      'Three,three@example.org,acme;acme:admin',
      'Four,four@example.org,"[{""id"":""acme""}]"',
      'Five,five@example.org,planned',
    ]);
    const companies = write('planned.csv', ['externalId,name', 'planned,Planned']);
    const args = ['--map', 'groups=Company', '--groups', companies, file];
    for (const extra of [['--dry-run'], ['--force']]) {
      expect(await run('import', 0, ...extra, ...args)).toMatchObject({ code: 1 });
      const results = readResults(file).map((result) => (result.result === 'invalid' ? result.issues : 'valid'));
      expect(results).toEqual([
        [{ column: 'Company', message: 'the group "initech" does not exist' }],
        [{ column: 'Company', message: 'the group "acme:boss" does not exist. Roles are member, admin, owner' }],
        [{ column: 'Company', message: 'must not repeat a group' }],
        'valid',
        'valid',
      ]);
    }
  });

  test('groups alone are imported as often as wanted, and --update changes names', async () => {
    const file = write('alone.csv', ['name,externalId', 'One,one', 'Two,two', ',three', 'Two again,two', 'Four,']);
    expect(await run('import', 0, '--groups', file)).toMatchObject({ code: 1 });
    expect(readResults(file)).toMatchObject([
      { line: 2, result: 'created' },
      { line: 3, result: 'created' },
      { line: 4, result: 'invalid', issues: [{ column: 'name' }] },
      { line: 5, result: 'invalid', issues: [{ column: 'externalId', message: 'is the externalId of line 3, too' }] },
      {
        line: 6,
        result: 'invalid',
        issues: [{ column: 'externalId', message: expect.stringContaining('is required') }],
      },
    ]);
    const renamed = write('alone.csv', ['name,externalId', 'One,one', 'Second,two']);
    expect(await run('import', 0, '--groups', renamed)).toMatchObject({ code: 0 });
    expect(countResults(renamed)).toEqual({ exists: 2 });
    expect(await run('import', 0, '--update', '--groups', renamed)).toMatchObject({ code: 0 });
    expect(readResults(renamed)).toMatchObject([{ result: 'unchanged' }, { result: 'updated' }]);
    const client = createClient({ baseUrl: services[0]?.url ?? '' });
    expect(await client.groups.find({ externalId: 'two' })).toMatchObject({ name: 'Second', version: 2 });
    const unknown = write('unknown.csv', ['externalId,name,plan', 'x,X,pro']);
    expect(await run('import', 0, '--groups', unknown)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Groups have no "plan". The columns are externalId, name, id'),
    });
  });

  test('--filter exports the members of a group', async () => {
    const file = join(folder, 'members.ndjson');
    const client = createClient({ baseUrl: services[0]?.url ?? '' });
    const { id } = (await client.groups.find({ externalId: 'acme' })) ?? { id: '' };
    expect(await run('export', 0, '--filter', `group=${id}`, file)).toMatchObject({ code: 0 });
    expect(readObjects(file).map(({ name }) => name)).toEqual(expect.arrayContaining(['Ada', 'Cy']));
    expect(await run('export', 0, '--force', '--filter', `group=${id}&role=owner`, file)).toMatchObject({ code: 0 });
    expect(readObjects(file).map(({ name }) => name)).toEqual(['Cy']);
  });
});

describe('straight to a table', () => {
  beforeEach(clearTable);

  // The fields of this process, of which the settings add `groups`.
  const { groups: _, ...declared } = JSON.parse(read('test/setup/member-fields.json'));
  const PLACE = ['--table', TableName, '--fields', write('fields.json', [JSON.stringify(declared)])];
  const GROUPS = 40;
  const PEOPLE = 200;
  const run = (script: 'import' | 'export', ...args: string[]) => startCommand(script, [...PLACE, ...args]).ended;
  const companies = () =>
    write('many-companies.csv', [
      'externalId,name',
      ...Array.from({ length: GROUPS }, (_, at) => `org_${at},Company ${at}`),
    ]);

  test('a killed import creates each group and user once, and an export keeps ids, times and groups', async () => {
    const random = createNumbers(29);
    const people = Array.from(
      { length: PEOPLE },
      (_, at) => `Person ${at},person.${at}@example.org,org_${at % GROUPS}:admin;org_${(at + 1) % GROUPS}`,
    );
    const files = [companies(), write('many.csv', ['name,email,groups', ...people])] as const;
    const args = [...PLACE, '--groups', ...files];
    let kills = 0;
    while ((await importAndKill(args, 4 + kills * 10 + Math.floor(random() * 8), random() < 0.5)) === null) kills++;
    expect(kills).toBeGreaterThan(3);
    expect([countResults(files[0]), countResults(files[1])]).toEqual([{ created: GROUPS }, { created: PEOPLE }]);
    const exported = ['groups', 'users'].map((name) => join(folder, `table-${name}.ndjson`)) as [string, string];
    expect(await run('export', '--groups', ...exported)).toMatchObject({ code: 0 });
    expect(
      readObjects(exported[0])
        .map(({ externalId }) => externalId)
        .toSorted(),
    ).toEqual(Array.from({ length: GROUPS }, (_, at) => `org_${at}`).toSorted());
    expect((await checkTable()).found).toEqual({});

    const keep = ['--keep-ids', '--keep-times', '--groups', ...exported];
    expect(await run('import', '--update', ...keep)).toMatchObject({ code: 0 });
    expect([countResults(exported[0]), countResults(exported[1])]).toEqual([
      { unchanged: GROUPS },
      { unchanged: PEOPLE },
    ]);
    await clearTable();
    expect(await run('import', '--force', ...keep)).toMatchObject({ code: 0 });
    const again = ['groups', 'users'].map((name) => join(folder, `again-${name}.ndjson`)) as [string, string];
    expect(await run('export', '--groups', ...again)).toMatchObject({ code: 0 });
    expect(again.map(read)).toEqual(exported.map(read));
    expect((await checkTable()).found).toEqual({});
  });

  test('groups without an external id keep their ids, and others find them by the id', async () => {
    const id = '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23';
    const groups = write('unnamed.csv', ['id,name', `${id},Unnamed`]);
    const users = write('unnamed-users.csv', ['name,email,groups', `Ada,ada@example.org,${id.toUpperCase()}:owner`]);
    expect(await run('import', '--groups', groups, users)).toMatchObject({ code: 1 });
    expect(await run('import', '--force', '--keep-ids', '--groups', groups)).toMatchObject({ code: 0 });
    expect(await run('import', '--force', '--groups', groups, users)).toMatchObject({ code: 0 });
    const file = join(folder, 'unnamed-again.csv');
    expect(await run('export', file)).toMatchObject({ code: 0 });
    expect(read(file)).toContain(`,${id}:owner,`);
  });
});
