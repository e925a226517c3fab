import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { withChanges } from '../../infra/bench/costs/changes.ts';
import { COSTS_FILE } from '../../infra/bench/costs/costs-page.ts';
import { measureWithChanges } from '../../infra/bench/costs/measurements.ts';
import { createFields } from '../../infra/bench/costs/operations.ts';
import { operationsTable } from '../../infra/bench/costs/report.ts';
import { loadUsersWithoutStream } from '../../infra/bench/load.ts';
import { ASSUMED_SECONDS, prices } from '../../infra/bill/prices.ts';
import { environment } from '../../lib/environment.ts';
import { indexPages } from '../../lib/features/page-index/indexer.ts';
import { schema } from '../../lib/graphql/schema/schema.ts';
import { synthesize } from './construct/synth.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'infra/bench/costs/fields.json';
});

const costs = readFileSync(COSTS_FILE, 'utf8');

/** A failure names only the missing lines. */
const expectLines = (...lines: string[]) =>
  expect(
    lines.filter((line) => !costs.includes(line)),
    'infra/costs.md lacks lines: npm run node -- infra/bench/costs.ts writes them',
  ).toEqual([]);

/** One heartbeat per minute, for a month. */
const HEARTBEATS = 43_800;

test('infra/costs.md contains the heartbeats that invoke on-change', () => {
  const monthly = HEARTBEATS * (prices.invocation + ASSUMED_SECONDS * prices.second);
  expectLines(`| heartbeats of on-change | 43,800 invocations | ${monthly.toFixed(2)} |`);
});

/** A query of Metrics Insights is an expression without other metrics. */
function countAlarmMetrics(context: Record<string, unknown> = {}) {
  const alarms = Object.values(synthesize(context).findResources('AWS::CloudWatch::Alarm'));
  const all = alarms.flatMap(
    ({ Properties }): { MetricStat?: object; Expression?: string }[] => Properties.Metrics ?? [{ MetricStat: {} }],
  );
  return {
    metrics: all.filter(({ MetricStat }) => MetricStat).length,
    queries: all.filter(({ Expression }) => Expression?.startsWith('SELECT ')).length,
  };
}

test('infra/costs.md counts the metrics of all alarms, and the two alarms that query metrics', () => {
  const { metrics, queries } = countAlarmMetrics();
  expect(queries).toBe(2);
  expectLines(
    `| alarms | ${metrics} metrics | ${(metrics * 0.1).toFixed(2)} |`,
    '| query of the alarm `rejections`, if each hour has requests | 1 metric | 0.10 |',
    '| query of the alarm `route-errors`, per route that fails in each hour | 1 metric | 0.10 |',
  );
});

test('infra/costs.md counts the alarms of the functions of own records', () => {
  const tokens = { auth: 'jwt', issuer: 'https://id.example.com', audience: 'users', graphqlConcurrency: 'unlimited' };
  const groups = { readGroup: 'readers', writeGroup: 'writers' };
  const fields = { subject: { type: 'string', subject: true, self: 'hidden' } };
  const own = countAlarmMetrics({ ...tokens, ...groups, fields }).metrics - countAlarmMetrics(tokens).metrics;
  expectLines(
    `| own records: alarms of their functions, with a \`subject\` field | ${own} metrics | ${(own * 0.1).toFixed(2)} |`,
  );
});

test('infra/costs.md contains the alarms of publish-events, and the cost of a million events', () => {
  const count = (context: Record<string, unknown>) =>
    Object.keys(synthesize(context).findResources('AWS::CloudWatch::Alarm')).length;
  // The alarm job-errors also reads publish-events. A metric costs $0.10 a month.
  const alarms = count({ events: 'on' }) - count({}) + 1;
  const monthly = alarms * 0.1 + HEARTBEATS * (prices.invocation + ASSUMED_SECONDS * prices.second);
  expectLines(
    `| publish-events: ${alarms} metrics of alarms and its heartbeats, with \`events=on\` | ${alarms} metrics | ${monthly.toFixed(2)} |`,
  );
  const lambda = prices.invocation + ASSUMED_SECONDS * prices.second;
  const [event, compute, total] = [prices.event, lambda, prices.event + lambda].map((usd) => (usd * 1e6).toFixed(2));
  expectLines(`| a million events: EventBridge ${event}, Lambda ${compute} | 1,000,000 changes | ${total} |`);
});

test('infra/costs.md contains the cost of an idle webhook, and of a million of its events', () => {
  // Five polls at a time wait 20 s each on an idle queue.
  const receives = (5 * 30 * 86_400) / 20;
  // webhook-dead-letters and function-errors read one metric each, rule-failures reads two.
  const monthly = prices.secretMonth + 4 * 0.1 + receives * prices.queueRequest;
  expectLines(
    `| post-webhook: a secret, four metrics of alarms and ${receives.toLocaleString('en')} empty receives, with \`webhookUrl\` | 1 secret | ${monthly.toFixed(2)} |`,
  );
  // A message is sent, received and deleted. The function runs for 0.2 s with 0.25 GB.
  const event = 3 * prices.queueRequest + prices.invocation + 0.2 * 0.25 * prices.second;
  expectLines(`$${(event * 1e6).toFixed(2)} per million if the receiver answers in 0.2 s`);
});

test('infra/costs.md contains the cost of every query and mutation', () => {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  expect(fields.length).toBeGreaterThan(10);
  const missing = fields.filter((field) => !new RegExp(`^\\| \`(\\{ )?${field}\\b`, 'm').test(costs));
  expect(
    missing,
    'add an example to infra/bench/costs/operations.ts, then run npm run node -- infra/bench/costs.ts',
  ).toEqual([]);
});

test('infra/costs.md lists the measured cost of each operation', async () => {
  // Slows the clock: a minute after a change, its stream record costs another read.
  const start = Date.now();
  environment.now = () => Math.floor(start + (Date.now() - start) / 100);
  const users = 3_000;
  await loadUsersWithoutStream(users, { createFields });
  environment.pause = async () => {};
  await indexPages();
  const { operations } = await withChanges((changes) => measureWithChanges(users, changes));
  const measured = operationsTable(operations).split('\n');
  // The cost of pages in the middle depends on the number of users.
  expectLines(...measured.filter((line) => !line.includes('page in the middle')));
  expect(measured.length).toBeGreaterThan(20);
});
