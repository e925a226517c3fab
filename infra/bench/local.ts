import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { startLocalService } from '../../test/setup/local-service.ts';
import { databaseEnvironment, startDatabase } from '../local/database/start.ts';
import { omitTransactionTokens } from '../local/database/transaction-tokens.ts';
import { createTable, enableStream } from '../local/table.ts';

const USAGE = `npm run node -- infra/bench/local.ts [--users 20000] [--alone 6000]
Creates users in new services (npm start --data), in four ways, and in the embedded engine alone. Writes infra/bench/local.md:
how many of each thousand were created in a second. What counts is the part of the first thousand's rate that is left.`;

const options = {
  users: { type: 'string', default: '20000' },
  alone: { type: 'string', default: '6000' },
  help: { type: 'boolean', default: false },
} as const;

const { values } = parseArgs({ options });
const PART = 1_000;

/** Users per second, one rate per PART users. */
type Rates = number[];

async function measure(count: number, atOnce: number, create: (number: number) => Promise<unknown>): Promise<Rates> {
  const lap = createLaps();
  let next = 0;
  let done = 0;
  const run = async () => {
    while (next < count) {
      await create(next++);
      lap.pass(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return lap.rates;
}

function createLaps() {
  const rates: Rates = [];
  let start = performance.now();
  let from = 0;
  const pass = (done: number) => {
    const passed = Math.floor(done / PART) - rates.length;
    if (passed === 0) return;
    const rate = ((done - from) / (performance.now() - start)) * 1_000;
    rates.push(...Array.from({ length: passed }, () => rate));
    [start, from] = [performance.now(), done];
  };
  return { rates, pass };
}

const email = (number: number) => `ada.${number}@example.org`;

async function inFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-local-'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const measureService = (count: number, atOnce: number, args: string[] = []) =>
  inFolder(async (folder) => {
    const service = await startLocalService([...(args.length > 0 ? args : ['--data', folder])]);
    const headers = { 'content-type': 'application/json' };
    const create = async (number: number) => {
      const body = JSON.stringify({ name: `Ada Lovelace ${number}`, email: email(number) });
      const response = await fetch(`${service.url}/v1/users`, { method: 'POST', headers, body });
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    };
    const rates = await measure(count, atOnce, create);
    await service.stop();
    return rates;
  });

const measureImport = (count: number) =>
  inFolder(async (folder) => {
    const service = await startLocalService(['--data', join(folder, 'data')]);
    const file = join(folder, 'users.csv');
    const rows = Array.from({ length: count }, (_, number) => `Ada Lovelace ${number},${email(number)}\n`);
    writeFileSync(file, `name,email\n${rows.join('')}`);
    const child = spawn(process.execPath, ['infra/scripts/import.ts', '--url', service.url, file], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const lap = createLaps();
    while (child.exitCode === null) {
      await Promise.race([ended, sleep(100)]);
      lap.pass(countLines(`${file}.results.ndjson`));
    }
    await service.stop();
    return lap.rates;
  });

function countLines(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

async function measureEngine(count: number, { tokens, index }: { tokens: boolean; index: boolean }): Promise<Rates> {
  const database = await startDatabase();
  Object.assign(process.env, databaseEnvironment(database));
  await createTable('users');
  await enableStream('users');
  if (!index && database.file) new DatabaseSync(database.file, { timeout: 5_000 }).exec('DROP INDEX stream_order');
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  if (!tokens) omitTransactionTokens(client);
  const put = (Item: Record<string, unknown>) => ({
    Put: { TableName: 'users', Item, ConditionExpression: 'attribute_not_exists(pk)' },
  });
  const rates = await measure(count, 8, (number) => {
    const user = { pk: `USER#${number}`, sk: 'USER', directory: 'USERS', name: 'Ada Lovelace', email: email(number) };
    const claim = { pk: `EMAIL#${email(number)}`, sk: 'EMAIL', userId: String(number) };
    return client.send(new TransactWriteCommand({ TransactItems: [put(user), put(claim)] }));
  });
  client.destroy();
  await database.stop();
  return rates;
}

const THOUSANDS = [1, 2, 6, 10, 20];

function formatRow(name: string, rates: Rates): string {
  const [first = 0] = rates;
  const cells = THOUSANDS.map((thousand) => rates[thousand - 1]).map((rate) =>
    rate === undefined ? '' : `${Math.round(rate)} (${(rate / first).toFixed(2)})`,
  );
  return `| ${[name, ...cells].join(' | ')} |`;
}

async function run(): Promise<void> {
  const [users, alone] = [Number(values.users), Number(values.alone)];
  const cases: [string, () => Promise<Rates>][] = [
    ['creates, 8 at once', () => measureService(users, 8)],
    ['creates, one after another', () => measureService(users, 1)],
    ['creates, 8 at once, `--memory`', () => measureService(users, 8, ['--memory'])],
    ['`npm run import -- --url`', () => measureImport(users)],
    ['engine alone', () => measureEngine(alone, { tokens: false, index: true })],
    ['engine alone, with tokens', () => measureEngine(alone, { tokens: true, index: true })],
    ['engine alone, without the index', () => measureEngine(alone, { tokens: false, index: false })],
    ['engine alone, with tokens, without the index', () => measureEngine(alone, { tokens: true, index: false })],
  ];
  const head = ['', ...THOUSANDS.map((thousand) => `thousand ${thousand}`)];
  const lines = [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`];
  for (const [name, measureCase] of cases) {
    lines.push(formatRow(name, await measureCase()));
    console.log(lines.at(-1));
  }
  const page = join(import.meta.dirname, 'local.md');
  const [before = ''] = readFileSync(page, 'utf8').split('<!-- figures -->');
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node.js ${process.version}`;
  writeFileSync(page, `${before}<!-- figures -->\n\n${lines.join('\n')}\n\n${machine}.\n`);
}

if (values.help) console.log(USAGE);
else await run();
