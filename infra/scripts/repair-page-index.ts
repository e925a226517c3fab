import { parseArgs } from 'node:util';
import { databaseEnvironment, startDatabase } from '../local/database/start.ts';
import { LOCAL_TABLE } from '../local/table.ts';
import { progressBar } from './progress-bar.ts';

const USAGE = `npm run repair-page-index -- [--rebuild] [--data DIR]
Compares the page index of the table TABLE_NAME, found by the standard AWS variables, with the directory, and the search
entries with the users, and repairs both.
  --rebuild   deletes the index and builds a new one, e.g. after a restore
  --data DIR  takes the embedded database in a folder instead, while the service that uses it is stopped`;

const options = { rebuild: { type: 'boolean', default: false }, data: { type: 'string' } } as const;

async function repair(): Promise<string> {
  // Imported only now, as it reads the environment.
  const { repairAll } = await import('../../lib/users/page-index/verify.ts');
  const { verifyAll } = await import('../../lib/users/page-index/verify.ts');
  const show = await showProgress('Verifying');
  let [users, repaired] = [0, 0];
  for await (const verified of verifyAll()) {
    if (verified.level === 1) users += verified.users;
    show(users);
    for (const { level, startAfter, was, is } of await repairAll(verified)) {
      repaired++;
      console.log(`Block ${startAfter} of level ${level}: ${was} is now ${is}`);
    }
  }
  return `${users} indexed users verified, ${repaired} counts repaired. ${await repairEntries()}`;
}

async function repairEntries(): Promise<string> {
  const { verifyAllEntries } = await import('../../lib/users/search/verify.ts');
  let repaired = 0;
  for await (const { repairs } of verifyAllEntries()) repaired += repairs.length;
  return `${repaired} search entries repaired.`;
}

async function rebuild(): Promise<string> {
  const { clearIndex } = await import('../../lib/users/page-index/indexer.ts');
  const { indexPages } = await import('../../lib/users/page-index/indexer.ts');
  await clearIndex();
  const { indexed, isUpToDate } = await indexPages();
  if (!isUpToDate) throw new Error('index-pages is running, too; it completes the index');
  return `The index is rebuilt: ${indexed} users indexed. ${await repairEntries()}`;
}

/** A bar up to the number of users. */
async function showProgress(label: string) {
  const { openPageIndex } = await import('../../lib/users/page-index/reader.ts');
  return progressBar(label, process.stderr.isTTY ? await openPageIndex().count() : 0);
}

try {
  const { values } = parseArgs({ options });
  const database = values.data === undefined ? undefined : await startDatabase(values.data);
  try {
    if (database) Object.assign(process.env, databaseEnvironment(database), { TABLE_NAME: LOCAL_TABLE });
    if (!process.env.TABLE_NAME) throw new Error(`Which table?\n${USAGE}`);
    console.log(await (values.rebuild ? rebuild() : repair()));
  } finally {
    await database?.stop();
  }
} catch (error) {
  console.error(`Not repaired: ${(error as Error).message}`);
  process.exitCode = 1;
}
