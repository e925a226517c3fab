import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COSTS_FILE } from '../../infra/bench/costs/costs-page.ts';
import { calculatePrices, replacePrices } from '../../infra/bench/streams/prices.ts';
import { prices } from '../../infra/bill/prices.ts';

const costs = readFileSync(COSTS_FILE, 'utf8');

test('infra/costs.md shows the prices of streams calculated from prices.ts and infra/bench/streams.md', () => {
  expect(costs, 'run npm run node -- infra/bench/streams.ts').toBe(replacePrices(costs));
  expect(costs).toMatch(/^\| 10,000 \| 100 \| 79 \| 158 \|/m);
});

test('infra/costs.md names the prices that it calculates with', () => {
  const usd = (price: number) => `$${(price * 1e6).toFixed(2)} per million`;
  const [, section = ''] = /## Web function\n(.*?)\n## /s.exec(costs) ?? [];
  const { appsyncMinute, appsyncUpdate, appsyncMutation, socketMinute, socketMessage } = prices;
  for (const price of [appsyncMinute, appsyncUpdate, appsyncMutation, socketMinute])
    expect(section).toContain(usd(price));
  expect(section).toContain(`${usd(socketMessage)} messages`);
  expect(section).toContain(`$${prices.second}`);
});

test('10,000 idle streams occupy 79 environments, billed by the memory that they consume, or 10,000 of 1 GB with a Function URL', () => {
  const { environments, vcpus, memory, compute, functionUrl, appsync, webSockets } = calculatePrices(
    { streams: 10_000, rate: 0 },
    { cpu: 0, megabytes: 128 },
  );
  expect({ environments, vcpus, compute }).toEqual({ environments: 79, vcpus: 158, compute: 0 });
  const second = prices.second * 730 * 3600;
  expect(memory).toBeCloseTo((79 * second) / 8);
  expect(functionUrl).toBeGreaterThan(10_000 * second);
  expect(appsync).toBeCloseTo(10_000 * 43_800 * 0.08e-6);
  // WebSockets cost per minute of connection, and per ping every nine minutes.
  expect(webSockets).toBeCloseTo(10_000 * 43_800 * (0.25e-6 + 1e-6 / 9));
});

test('streams of a web function do not write to the table; streams of a Function URL write their slots', () => {
  const opened = { streams: 10_000, rate: 0 };
  const { requests, functionUrl } = calculatePrices(opened, { cpu: 0, megabytes: 0 });
  const openings = (seconds: number) => (10_000 * 730 * 3600) / seconds;
  const polls = (pollers: number) => pollers * 0.5 * 730 * 3600 * prices.read;
  expect(requests).toBeCloseTo(polls(79) + openings(870) * (prices.read + prices.invocation));
  const memory = 10_000 * 730 * 3600 * prices.second;
  expect(functionUrl).toBeCloseTo(
    memory + polls(10_000) + openings(90) * (prices.read + 4 * prices.write + prices.invocation),
  );
});
