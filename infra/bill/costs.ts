import { readFileSync } from 'node:fs';

/** USD per million requests of an operation. */
export type RequestCost = { database: number; requests: number; compute: number; logs: number };

/** USD per month of a background task. */
export type BackgroundCost = { database: number; lambda: number; logs: number };

/** Read from infra/costs.md, measured by `npm run node -- infra/bench/costs.ts`. */
export type Costs = {
  operations: Map<string, RequestCost>;
  background: Map<string, BackgroundCost>;
  /** USD per month, by item. */
  month: Map<string, number>;
};

export function readCosts(page = readFileSync('infra/costs.md', 'utf8')): Costs {
  return {
    operations: new Map(
      readTable(page, 'operation').map(([name = '', , , , , ...usd]) => {
        const [database = 0, requests = 0, compute = 0, logs = 0] = usd.map(Number);
        return [name.replaceAll('`', ''), { database, requests, compute, logs }];
      }),
    ),
    background: new Map(
      readTable(page, 'background').map(([name = '', , , , ...usd]) => {
        const [database = 0, lambda = 0, logs = 0] = usd.map(Number);
        return [name, { database, lambda, logs }];
      }),
    ),
    month: new Map(readTable(page, 'item').map(([name = '', , usd]) => [name, Number(usd)])),
  };
}

/** Returns the rows of the Markdown table that starts with the heading `head`. */
export function readTable(page: string, head: string): string[][] {
  const [, rows] = new RegExp(`^\\| ${head} \\|.*\\n\\| ---:? \\|.*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  if (!rows) throw new Error(`infra/costs.md has no table with the first column "${head}"`);
  return rows
    .trim()
    .split('\n')
    .map((row) => row.replace(/^\| | \|$/g, '').split(' | '));
}
