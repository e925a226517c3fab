import { readFileSync } from 'node:fs';

/** USD per million requests of an operation. */
export type RequestCost = { database: number; requests: number; compute: number; logs: number };

/** USD per month of something that runs beside the requests. */
export type BackgroundCost = { database: number; lambda: number; logs: number };

/** The costs that `npm run bench:costs` measured and infra/costs.md lists. A test holds that page to the code. */
export type Costs = {
  operations: Map<string, RequestCost>;
  background: Map<string, BackgroundCost>;
  /** The fixed items of a month, in USD. */
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

/** The rows of the table whose first column has that head. */
export function readTable(page: string, head: string): string[][] {
  const [, rows] = new RegExp(`^\\| ${head} \\|.*\\n\\| ---:? \\|.*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  if (!rows) throw new Error(`The page of costs has no table of the head ${head}`);
  return rows
    .trim()
    .split('\n')
    .map((row) => row.replace(/^\| | \|$/g, '').split(' | '));
}
