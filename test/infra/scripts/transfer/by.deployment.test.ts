import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { TableName } from '../../../../lib/dynamodb/client.ts';
import { clearTable, readTable } from '../../../lib/features/page-index/fixtures.ts';
import { startFaultProxy } from '../../../setup/proxy.ts';
import { createNumbers } from '../../../simulation/random.ts';
import { importAndKill, readResults, startCommand } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'by-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(clearTable);

const FIELDS = join(folder, 'fields.json');
writeFileSync(FIELDS, JSON.stringify({ externalId: { type: 'string', unique: true } }));

const [KNOWN, ROWS] = [150, 300];

type Person = { externalId: string; name: string; email: string };
const createPerson = (number: number): Person => ({
  externalId: `crm-${number}`,
  name: `Person ${number}`,
  email: `person.${number}@example.org`,
});

/** The first users each take the address of the next one. Every third known user has another name. */
const changePerson = (person: Person, number: number): Person => ({
  ...person,
  ...(number < 20 ? { email: number === 19 ? 'moved@example.org' : createPerson(number + 1).email } : {}),
  ...(number < KNOWN && number % 3 === 0 ? { name: `Changed ${number}` } : {}),
});

function writeFile(name: string, people: Person[]): string[] {
  const file = join(folder, name);
  const rows = people.map(({ externalId, name, email }) => `${externalId},${name},${email}`);
  writeFileSync(file, ['externalId,name,email', ...rows].join('\n'));
  return ['--table', TableName, '--fields', FIELDS, '--update', '--by', 'externalId', file];
}

const people = Array.from({ length: ROWS }, (_, number) => createPerson(number));

async function fillTable(): Promise<void> {
  const { code } = await startCommand('import', writeFile('known.csv', people.slice(0, KNOWN)).concat('--force')).ended;
  expect(code).toBe(0);
}

/** Returns all users without ids and times, and the key of each claim with the address of its user. */
async function describeTable() {
  const items = await readTable();
  const users = new Map(items.filter(({ sk }) => sk === 'USER').map((item) => [String(item.pk), item]));
  const claims = items
    .filter(({ userId }) => userId !== undefined)
    .map(({ pk, userId }) => `${pk} of ${users.get(`USER#${userId}`)?.email}`);
  const stored = [...users.values()].map(({ name, email, fields, version }) =>
    JSON.stringify({ name, email, fields, version }),
  );
  return { users: stored.toSorted(), claims: claims.toSorted() };
}

const countResults = (file: string) =>
  Object.fromEntries(
    Map.groupBy(readResults(file), ({ result }) => result)
      .entries()
      .map(([result, rows]) => [result, rows.length]),
  );

test('an import by a key that is killed and continued leaves the same table as an uninterrupted one', async () => {
  const random = createNumbers(17);
  await fillTable();
  const known = await describeTable();
  const killed = writeFile('killed.csv', people.map(changePerson));
  for (let kill = 0; kill < 4; kill++)
    expect(await importAndKill(killed, 40 + Math.floor(random() * 60), kill % 2 === 0)).toBe(null);
  expect(await describeTable()).not.toEqual(known);
  expect(await startCommand('import', killed).ended).toMatchObject({ code: 0 });
  const resumed = await describeTable();

  await clearTable();
  await fillTable();
  const uninterrupted = writeFile('uninterrupted.csv', people.map(changePerson));
  expect(await startCommand('import', uninterrupted).ended).toMatchObject({ code: 0 });
  expect(resumed).toEqual(await describeTable());
  expect(resumed.users).toHaveLength(ROWS);
  expect(resumed.claims).toHaveLength(2 * ROWS);
});

test('a second import of a file by a key reports each row as unchanged, and writes nothing', async () => {
  const args = writeFile('twice.csv', people);
  await startCommand('import', args).ended;
  const before = await readTable();
  const operations = new Set<string>();
  const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) => {
    operations.add(operation);
    return undefined;
  });
  const second = await startCommand('import', [...args, '--force'], { AWS_ENDPOINT_URL_DYNAMODB: proxy.url }).ended;
  await proxy.stop();
  expect(second).toMatchObject({ code: 0 });
  expect(countResults(join(folder, 'twice.csv'))).toEqual({ unchanged: ROWS });
  expect([...operations].filter((name) => /Put|Update|Delete|Write/.test(name))).toEqual([]);
  expect(await readTable()).toEqual(before);
});
