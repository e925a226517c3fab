import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { COSTS_FILE, replaceMeasured } from './costs/costs-page.ts';
import { onTable } from './database.ts';

const { users } = parseArgs({ options: { users: { type: 'string', default: '100000' } } }).values;

await onTable('costs', async () => {
  // Omits the request lines of the functions.
  console.info = () => {};
  const { loadUsersWithoutStream } = await import('./costs/load.ts');
  const { measureCosts } = await import('./costs/measurements.ts');
  const { markdown } = await import('./costs/report.ts');
  await loadUsersWithoutStream(Number(users));
  const measured = markdown(await measureCosts(Number(users)));
  writeFileSync(COSTS_FILE, replaceMeasured(readFileSync(COSTS_FILE, 'utf8'), measured));
  console.log(measured);
});
