import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from '../../infra/settings.ts';
import { table } from '../../lib/table.ts';
import { indexPages } from '../../lib/users/pages/indexer.ts';
import { restEvent, type Sent } from '../setup/event.ts';

const runbook = readFileSync('infra/README.md', 'utf8');

test('the runbook names every setting', () => {
  for (const name of Object.keys(settings.shape)) expect(runbook).toMatch(new RegExp(`^\\|.*\`${name}\`.*\\|`, 'm'));
});

let used = { read: 0, write: 0 };
table.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (call) => {
      const answer = await next({ ...call, input: { ...call.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity = [] } = answer.output as { ConsumedCapacity?: Capacity | Capacity[] };
      const kind = /^(Get|Query|BatchGet)/.test(commandName) ? 'read' : 'write';
      for (const { CapacityUnits } of [ConsumedCapacity].flat()) used[kind] += CapacityUnits;
      return answer;
    },
  { step: 'initialize' },
);

type Capacity = { CapacityUnits: number };

async function call(name: string, method: string, sent: Sent) {
  used = { read: 0, write: 0 };
  const { handler } = await import(`../../functions/${name}.ts`);
  const { statusCode, body = 'null' } = await handler(restEvent(method, '/v1/users', sent), {});
  return { statusCode, body: JSON.parse(body || 'null'), ...used };
}

let count = 0;
const create = (headers = {}) =>
  call('create-user', 'POST', { headers, body: { name: 'Ada Lovelace', email: `ada${count++}@example.com` } });

/** A line of the table of costs: what DynamoDB takes for a million, and all takes, in dollars. */
function line({ statusCode, read, write }: Awaited<ReturnType<typeof call>>, label: string): string {
  expect(statusCode).toBeLessThan(300);
  const database = read * 0.125 + write * 0.625;
  const dollars = (amount: number) => `$${(Math.round(amount * 100 + 1e-6) / 100).toFixed(2)}`;
  return `| ${label} | ${read} | ${write} | ${dollars(database)} | ${dollars(Number(dollars(database).slice(1)) + 2.47)} |`;
}

test('the runbook tells what each operation costs, as the functions use it', async () => {
  const { id: indexed } = (await create()).body;
  for (let others = 0; others < 80; others++) await create();
  await indexPages({ now: Date.now() + 120_000 });
  const created = await create();
  const { id, email } = created.body;
  const lines = [
    line(await call('get-user', 'GET', { id }), '`get-user`'),
    line(await call('list-users', 'GET', { query: { page: '2', limit: '20' } }), '`list-users`, a page of 20'),
    line(await call('list-users', 'GET', { query: { email } }), '`list-users` by email'),
    line(created, '`create-user`'),
    line(await create({ 'idempotency-key': 'key' }), '`create-user` with a key'),
    line(await call('update-user', 'PATCH', { id, body: { name: 'Augusta' } }), '`update-user`, the name'),
    line(await call('update-user', 'PATCH', { id, body: { email: 'a@example.com' } }), '`update-user`, the email'),
    line(await call('delete-user', 'DELETE', { id: indexed }), '`delete-user`'),
  ];
  expect(runbook.match(/^\|.*\$[\d.]+ \|$/gm)).toEqual(lines);
});
