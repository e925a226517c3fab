import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';
import { type CommandResult, startCommand } from './import-command.ts';

const FIELDS = ['--fields', 'test/setup/list-own-fields.json'];

type Fields = { plan?: string; tags?: string[]; seats?: number; active?: boolean; hired?: string };

const folder = mkdtempSync(join(tmpdir(), 'export-'));
const data = join(folder, 'data');
let service: LocalService;
let client: Client<Fields>;
let ids: string[];

beforeAll(async () => {
  service = await startLocalService(['--data', data, ...FIELDS]);
  client = createClient({ baseUrl: service.url, fields: ['plan'] });
  const people: Fields[] = [
    {},
    { plan: 'pro', tags: ['blue', 'a=b'], seats: 5 },
    { plan: 'pro', tags: ['red'], active: true, hired: '2026-01-31' },
    { plan: 'free', tags: ['blue'], seats: -7 },
    { plan: 'pro', tags: ['blue', 'red'], seats: 5, active: false },
  ];
  ids = [];
  for (const [at, own] of people.entries()) {
    const { id } = await client.users.create({ name: `User ${at}`, email: `user.${at}@example.org`, ...own });
    ids.push(id);
  }
  await client.posts.create({ authorId: ids[4] ?? '', title: 'One' });
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Exports through the API, or from the data folder once the service is stopped. */
const run = (...args: string[]) =>
  startCommand(
    'export',
    service.process.exitCode === null ? ['--url', service.url, ...args] : ['--data', data, ...FIELDS, ...args],
  ).ended;

const readLines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const filters: [filter: string[], positions: number[]][] = [
  [['plan=pro'], [1, 2, 4]],
  [['plan=free'], [0, 3]],
  [
    ['plan=pro', 'tags=blue'],
    [1, 4],
  ],
  [['seats=5', 'plan=pro', 'active=false'], [4]],
  [['tags=a%3Db'], [1]],
  [['plan=pro&plan=free'], [0, 1, 2, 3, 4]],
  [['active=false', 'seats.gte=5&seats.lte=5'], [4]],
  [['hired=2026-01-31'], [2]],
];

const rejected: [args: string[], message: string][] = [
  [['--filter', 'plna=pro'], '--filter plna is no condition. The conditions are plan, tags, seats, active, hired'],
  [['--filter', 'note=x'], '--filter note is no condition. The conditions are plan,'],
  [['--filter', 'note.exists=false'], '--filter note.exists is no condition'],
  [['--filter', 'plan=gold'], '--filter plan: must be one of free, pro'],
  [['--filter', 'seats=many'], '--filter seats: must be a whole number'],
  [['--filter', 'seats.gte=3&seats.lt=2'], '--filter seats.gte: must not be above the upper bound'],
  [['--filter', 'seats.gte=3', '--filter', 'seats.gte=4'], '--filter seats.gte: must be given only once'],
  [['--filter', 'plan'], '--filter plan has no value: write it as plan=pro'],
  [['--filter', 'plan=pro', '--since', '2026-01-01'], '--filter cannot be combined with --since: export all changes'],
];

const testMatches = (place: string) => {
  test.each(filters)('--filter %j exports the users who match', async (filter, positions) => {
    const file = join(folder, `${place}-${filter.join()}.ndjson`);
    const expected = positions.map((at) => ids[at]);
    const result = await run(...filter.flatMap((each) => ['--filter', each]), file);
    expect(result).toMatchObject({ code: 0, errors: expect.stringContaining(`${expected.length} users in`) });
    expect(readLines(file).map(({ id }) => id)).toEqual(expected);
  });

  test('a CSV file has the same users', async () => {
    const file = join(folder, `${place}.csv`);
    expect(await run('--filter', 'plan=pro', '--filter', 'tags=blue', file)).toMatchObject({ code: 0 });
    const [, ...records] = readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
    expect(records.map((record) => record.split(',')[0])).toEqual([ids[1], ids[4]]);
  });

  test('--filter combines with --posts', async () => {
    const file = join(folder, `${place}-posts.ndjson`);
    expect(await run('--filter', 'active=false', '--posts', file)).toMatchObject({ code: 0 });
    expect(readLines(file)).toMatchObject([{ id: ids[4], posts: [{ title: 'One' }] }]);
  });
};

async function expectRejection(message: string, command: (file: string) => Promise<CommandResult>): Promise<void> {
  const file = join(folder, 'rejected.ndjson');
  const errors = expect.stringContaining(`Not exported: ${message}`);
  expect(await command(file)).toMatchObject({ code: 1, errors });
  expect(existsSync(file)).toBe(false);
}

describe('by the APIs', () => {
  testMatches('service');

  test.each(rejected)('%j is rejected, and no file is written', (args, message) =>
    expectRejection(message, (file) => run(...args, file)),
  );
});

describe('from the folder of a stopped service', () => {
  beforeAll(() => service.stop());
  testMatches('folder');

  test('a value that no user can have is rejected, and no file is written', () =>
    expectRejection('--filter plan: must be one of free, pro', (file) => run('--filter', 'plan=gold', file)));

  test('without declared filters, the error says so', async () => {
    const fields = join(folder, 'no-fields.json');
    writeFileSync(fields, '{}');
    const args = ['--data', data, '--fields', fields, '--filter', 'plan=pro'];
    const message = '--filter plan is no condition. No field is declared with "filter": true';
    await expectRejection(message, (file) => startCommand('export', [...args, file]).ended);
  });
});
