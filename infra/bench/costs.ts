import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readCosts } from '../bill/costs.ts';
import { formatBills, replaceBills } from '../bill/page.ts';
import { COSTS_FILE, replaceMeasured } from './costs/costs-page.ts';
import { onTable, recreateTable } from './database.ts';

const { users } = parseArgs({ options: { users: { type: 'string', default: '100000' } } }).values;

process.env.FIELDS_FILE = 'infra/bench/costs/fields.json';
await onTable('costs', async () => {
  const { loadUsersWithoutStream } = await import('./load.ts');
  const { measureCosts } = await import('./costs/measurements.ts');
  const { createFields } = await import('./costs/operations.ts');
  const { markdown } = await import('./costs/report.ts');
  const { measureIndexRuns } = await import('./costs/index-runs.ts');
  // The highest rate comes early, so later runs have enough users to verify.
  const runs = await measureIndexRuns([0, 20, 1, 0]);
  await recreateTable();
  await loadUsersWithoutStream(Number(users), { createFields });
  const measured = markdown(await measureCosts(Number(users), runs));
  const page = replaceMeasured(readFileSync(COSTS_FILE, 'utf8'), measured);
  writeFileSync(COSTS_FILE, replaceBills(page, formatBills(readCosts(page))));
  console.log(measured);
});
