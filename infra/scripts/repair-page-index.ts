import { parseArgs } from 'node:util';
import { startDatabase } from '../local/database.ts';
import { progressBar } from './progress-bar.ts';

const USAGE = `npm run repair-page-index -- [--data DIR]
Recounts the page blocks of the table TABLE_NAME, found by the standard AWS variables; with --data, those of the
embedded database in a folder, while the service that uses it is stopped.`;

async function repair(): Promise<string> {
  // Only now: what it imports reads the environment.
  const { verifyAll } = await import('../../lib/users/page-index/verify.ts');
  const found = { users: 0, mended: 0 };
  let show: ((done: number) => void) | undefined;
  let done = 0;
  for await (const { users, mends, of } of verifyAll()) {
    show ??= progressBar('Recounting', of);
    show(++done);
    found.users += users;
    found.mended += mends.length;
    for (const { level, behind, was, is } of mends)
      console.log(`level ${level}, behind ${behind}: ${was} is now ${is}`);
  }
  return `${found.users} indexed users recounted, ${found.mended} counts mended.`;
}

try {
  const { data } = parseArgs({ options: { data: { type: 'string' } } }).values;
  const database = data === undefined ? undefined : await startDatabase(data);
  try {
    if (database)
      Object.assign(process.env, {
        AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
        AWS_REGION: 'local',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        TABLE_NAME: 'users',
      });
    if (!process.env.TABLE_NAME) throw new Error(`Which table?\n${USAGE}`);
    console.log(await repair());
  } finally {
    await database?.stop();
  }
} catch (error) {
  console.error(`Not repaired: ${(error as Error).message}`);
  process.exitCode = 1;
}
