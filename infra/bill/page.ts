import { afterFreeTiers, calculateBill, type Load, mixes } from './bill.ts';
import type { Costs } from './costs.ts';

const LOADS: Omit<Load, 'mix'>[] = [
  { users: 0, rps: 0 },
  { users: 10_000, rps: 1 },
  { users: 1_000_000, rps: 100 },
  { users: 10_000_000, rps: 1_000 },
];

export const formatUsd = (usd: number): string =>
  usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const count = (value: number) => value.toLocaleString('en');

export function formatBills(costs: Costs): string {
  const bills = LOADS.map((load) => calculateBill({ ...load, mix: mixes.default ?? {} }, costs));
  const items = bills[0]?.map(([item]) => item) ?? [];
  const heads = LOADS.map(({ users, rps }) => (rps === 0 ? 'idle' : `${count(rps)} rps, ${count(users)} users`));
  const rows = items.map((item, index) => [item, ...bills.map((bill) => formatUsd(bill[index]?.[1] ?? 0))]);
  const totals = bills.map((bill) => formatUsd(bill.reduce((sum, [, usd]) => sum + usd, 0)));
  const free = ['after free tiers', ...bills.map((bill) => formatUsd(afterFreeTiers(bill)))];
  const lines = [
    ['USD a month', ...heads],
    ['---', ...heads.map(() => '---:')],
    ...rows,
    ['**total**', ...totals],
    free,
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

export const replaceBills = (page: string, bills: string): string =>
  page.replace(/(<!-- bill -->\n).*(<!-- \/bill -->)/s, (_, start, end) => `${start}${bills}${end}`);
