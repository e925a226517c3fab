import { parseArgs } from 'node:util';
import { onTable } from './database.ts';

const { users } = parseArgs({ options: { users: { type: 'string', default: '100000' } } }).values;

await onTable('costs', async () => {
  // Standard output is for the results: the functions' request lines have no place there.
  console.info = () => {};
  const { loadUnwatched } = await import('./costs/load.ts');
  const { measureCosts } = await import('./costs/measurements.ts');
  const { markdown } = await import('./costs/report.ts');
  await loadUnwatched(Number(users));
  console.log(markdown(await measureCosts(Number(users))));
});
