import { readFileSync, writeFileSync } from 'node:fs';
import { readTable } from '../../bill/costs.ts';
import { ASSUMED_WEB_FUNCTION_SECOND, prices } from '../../bill/prices.ts';
import { COSTS_FILE, replaceMeasured } from '../costs/costs-page.ts';
import { STREAMS_FILE } from './report.ts';

const SECONDS = 730 * 3600;
const MINUTES = SECONDS / 60;

/**
 * Values of infra/construct/graphql-web-function.ts. `streams`: maximum per environment. `slotWrites`: write units per
 * opened stream.
 */
const WEB_FUNCTION = { streams: 128, vcpus: 2, streamSeconds: 870, slotWrites: 0 };
/** One environment per stream. Each stream acquires and releases two slots in the table, which limit open streams. */
const FUNCTION_URL = { streams: 1, gigabytes: 1, streamSeconds: 90, slotWrites: 4 };

/** Read units per second with which one process polls the order log at `rate` changes per second. */
const readOrderUnits = (rate: number) => (rate < 100 ? 0.5 : rate / 100);
const UNITS_PER_CHANGE = 0.5;
const OPENING_UNITS = 1;

/**
 * Pings per connection and month, one every nine minutes: API Gateway closes WebSocket connections that are idle for
 * ten.
 */
const PINGS = SECONDS / (9 * 60);

type Load = { streams: number; rate: number };

/** Consumption of a process with 128 streams. `cpu`: share of a core. `megabytes`: RSS. */
type Consumption = { cpu: number; megabytes: number };

export function calculatePrices({ streams, rate }: Load, { cpu, megabytes }: Consumption) {
  const environments = Math.ceil(streams / WEB_FUNCTION.streams);
  const memory = environments * (megabytes / 1024) * SECONDS * ASSUMED_WEB_FUNCTION_SECOND;
  const compute = environments * cpu * SECONDS * ASSUMED_WEB_FUNCTION_SECOND;
  const requests = calculateRequests({ streams, rate }, environments, WEB_FUNCTION);
  const functionUrl =
    streams * FUNCTION_URL.gigabytes * SECONDS * prices.second +
    calculateRequests({ streams, rate }, streams, FUNCTION_URL);
  const changes = rate * SECONDS;
  return {
    environments,
    vcpus: environments * WEB_FUNCTION.vcpus,
    memory,
    compute,
    requests,
    webFunction: memory + compute + requests,
    functionUrl,
    appsync: streams * MINUTES * prices.appsyncMinute + changes * (prices.appsyncUpdate + prices.appsyncMutation),
    webSockets: streams * MINUTES * prices.socketMinute + (changes + streams * PINGS) * prices.socketMessage,
  };
}

function calculateRequests(
  { streams, rate }: Load,
  pollers: number,
  { streamSeconds, slotWrites }: { streamSeconds: number; slotWrites: number },
): number {
  const polls = (pollers * readOrderUnits(rate) + rate * UNITS_PER_CHANGE) * SECONDS * prices.read;
  const opening = OPENING_UNITS * prices.read + slotWrites * prices.write + prices.invocation;
  return polls + ((streams * SECONDS) / streamSeconds) * opening;
}

const STREAMS = [128, 1_000, 10_000];
const RATES = [0, 10, 100];

const usd = (value: number) => `$${value.toLocaleString('en', { maximumFractionDigits: 0 })}`;
const count = (value: number) => value.toLocaleString('en');
const row = (cells: string[]) => `| ${cells.join(' | ')} |\n`;

/** Creates a table of infra/costs.md. The memory and CPU time come from streams.md. */
export function formatPrices(page = readFileSync(STREAMS_FILE, 'utf8')): string {
  const head = [
    'open streams',
    'changes a second',
    'environments',
    'vCPUs of the quota',
    'memory',
    'CPU',
    'requests, DynamoDB',
  ];
  const heads = [...head, '**web function**', 'Function URL', 'AppSync', 'WebSocket API'];
  const rows = STREAMS.flatMap((streams) =>
    RATES.map((rate) => {
      const price = calculatePrices({ streams, rate }, findConsumption(page, rate));
      const { environments, vcpus, memory, compute, requests } = price;
      return [
        ...[streams, rate, environments, vcpus].map(count),
        ...[memory, compute, requests].map(usd),
        `**${usd(price.webFunction)}**`,
        ...[price.functionUrl, price.appsync, price.webSockets].map(usd),
      ];
    }),
  );
  return [heads, heads.map(() => '---:'), ...rows].map(row).join('');
}

function findConsumption(page: string, rate: number): Consumption {
  const found = readTable(page, 'processes').find(
    ([processes, streams, perSecond]) =>
      processes === '1' && Number(streams) === WEB_FUNCTION.streams && Number(perSecond) === rate,
  );
  if (!found) throw new Error(`${STREAMS_FILE} has no memory and CPU time at ${rate} changes a second`);
  return { megabytes: Number(found[3]), cpu: Number(found[5]) / 100 };
}

export const replacePrices = (page: string): string => replaceMeasured(page, formatPrices(), 'streams');

export const writePrices = (): void => writeFileSync(COSTS_FILE, replacePrices(readFileSync(COSTS_FILE, 'utf8')));
