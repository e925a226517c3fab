import { readFileSync, writeFileSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import { afterFreeTiers, calculateBill, type Mix, mixes } from '../bill/bill.ts';
import { readCosts } from '../bill/costs.ts';
import { formatBills, formatUsd, replaceBills } from '../bill/page.ts';
import { rejectArguments, runCommand } from './command.ts';

const USAGE = `npm run -s bill -- [--users 1000000] [--rps 100] [--mix default] [--streams 0] [--events]
Prints the cost of a month in USD, from the measured costs in infra/costs.md. --rps is the average of requests per second.
--mix is ${Object.keys(mixes).join(', ')}, or percentages of operations, as named in infra/costs.md: "get=90; create=10".
--events puts each change on the event bus.
--write updates the bills of the default mix in infra/costs.md.`;

const options = {
  users: { type: 'string', default: '1000000' },
  rps: { type: 'string', default: '100' },
  mix: { type: 'string', default: 'default' },
  streams: { type: 'string', default: '0' },
  events: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

const FILE = 'infra/costs.md';

const MAX_COUNT = 1e12;

await runCommand({ options, help: USAGE, failure: 'Not calculated' }, async ({ values, positionals }) => {
  rejectArguments(positionals, USAGE);
  if (values.write) writeFileSync(FILE, replaceBills(readFileSync(FILE, 'utf8'), formatBills(readCosts())));
  else printBill(values);
});

type Values = Record<'users' | 'rps' | 'mix' | 'streams', string> & { events: boolean };

function printBill({ users, rps, mix, streams, events }: Values): void {
  const load = { users: readCount('users', users), rps: readCount('rps', rps), streams: readCount('streams', streams) };
  const bill = calculateBill({ ...load, events, mix: readMix(mix) }, readCosts());
  const total = bill.reduce((sum, [, usd]) => sum + usd, 0);
  console.log(`USD a month in us-east-1, without free tiers: ${rps} requests a second, ${users} users, mix ${mix}`);
  const totals = [['Total', total] as const, ['After free tiers', afterFreeTiers(bill)] as const];
  for (const [item, usd] of [...bill, ...totals]) console.log(item.padEnd(32), formatUsd(usd).padStart(12));
}

function readCount(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= MAX_COUNT))
    throw new Error(`--${name} is ${text}; expected: a number from 0 to ${MAX_COUNT}`);
  return number;
}

function readMix(text: string): Mix {
  const mix = mixes[text];
  if (mix) return mix;
  const parts = text.split(';').map((part): [string, number] => {
    const [, name = '', percent] = /^(.*)=([\d.]+)$/.exec(part.trim()) ?? [];
    return [name.trim(), Number(percent) / 100];
  });
  const sum = parts.reduce((total, [, part]) => total + part, 0);
  if (!(Math.abs(sum - 1) < 0.001))
    throw new Error(`--mix is ${text}; expected: ${Object.keys(mixes).join(', ')}, or percentages that add up to 100`);
  const names = parts.map(([name]) => name);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw new Error(`--mix sets ${repeated} twice: add its percentages`);
  return Object.fromEntries(parts);
}
