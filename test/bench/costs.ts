import { parseArgs } from 'node:util';
import { createTable } from '../../infra/local/create-table.ts';
import { startDatabase } from '../../infra/local/database.ts';

const { users } = parseArgs({ options: { users: { type: 'string', default: '100000' } } }).values;

const database = await startDatabase();
try {
  const TABLE_NAME = 'costs';
  Object.assign(process.env, {
    TABLE_NAME,
    AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  });
  await createTable(TABLE_NAME);
  // Standard output is for the results: the functions' request lines have no place there.
  console.info = () => {};
  // Only now: what it imports reads the environment.
  const { loadUnwatched } = await import('./costs/load.ts');
  const { measureCosts } = await import('./costs/measurements.ts');
  const { markdown } = await import('./costs/report.ts');
  await loadUnwatched(Number(users));
  console.log(markdown(await measureCosts(Number(users))));
} finally {
  await database.stop();
}
