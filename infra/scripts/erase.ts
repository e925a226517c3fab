import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ParseArgsOptionsConfig } from 'node:util';
import type { Erasure } from '../../lib/features/erasure/record.ts';
import { type Parsed, requireArgument, runCommand } from './command.ts';
import { PLACE_HELP, type Place, placeOptions, requireTable, withPlace } from './transfer/place.ts';

const HELP = `npm run erase -- [options] ID
Deletes a user and permanently erases the personal data, also of a user who is already deleted, and earlier records of the
person. Waits until it is done, which takes some minutes; the same command continues. With --table, it then searches the table
for the addresses and names. Lists other deleted users with the same address, whose data remains.

${PLACE_HELP.replace(/^ +--data .*\n/m, '')}
  --request          requests erasures of the ids on standard input, one per line, and does not wait: after a restore,
                     for tables only
  --list             prints the erasures as JSON, one per line, kept for at least 36 days: for tables only; "returned"
                     marks people that an import brought back
  --help`;

const options = {
  ...placeOptions,
  list: { type: 'boolean', default: false },
  request: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

const POLL_MS = 5_000;

type Settings = ReturnType<typeof readSettings>;

await runCommand({ options, help: HELP, failure: 'Not erased' }, (parsed) => run(readSettings(parsed)));

function readSettings({ values, positionals }: Parsed<typeof options>) {
  const needsId = !values.list && !values.request;
  if (values.list && values.request) throw new Error('Use only one of --list and --request');
  if (values.data !== undefined)
    throw new Error('--data is not supported: the erasure job runs in npm start; use --url');
  if (!needsId) requireTable(values, values.list ? '--list' : '--request');
  if (!needsId && positionals.length > 0)
    throw new Error(values.list ? '--list takes no id' : '--request reads ids from standard input: pass none');
  const id = needsId ? requireArgument(positionals, 'the id of one user', HELP) : '';
  return { id: id.toLowerCase(), values };
}

async function run({ id, values }: Settings): Promise<void> {
  await withPlace(values, async (place) => {
    if (values.list) return await printErasures();
    if (place.deployment) return await eraseInDeployment(place.deployment, id);
    const { checkClock } = await import('./transfer/clock.ts');
    await checkClock();
    await (values.request ? requestErasures() : eraseFromTable(id));
  });
}

type Find = (id: string) => Promise<Erasure | null | undefined>;

/** Waits until the erasures of the user and of earlier records are complete. */
async function waitForErasure(id: string, find: Find): Promise<void> {
  const erasure = await waitForOne(id, find);
  for (const earlier of erasure.earlierRecords) await waitForOne(earlier, find);
  console.log(JSON.stringify(erasure));
  const others = erasure.sameAddress.join(' ');
  if (others)
    console.error(`Deleted users with the same address: ${others}. If they are the same person, erase them, too.`);
}

async function waitForOne(id: string, find: Find): Promise<Erasure> {
  for (let isAnnounced = false; ; isAnnounced = true) {
    const erasure = await find(id);
    if (!erasure) throw new Error(`An import created the user ${id} again`);
    if (erasure.completedAt) return erasure;
    if (!isAnnounced)
      console.error(`${id}: requested at ${erasure.requestedAt}. The erasure takes six minutes or more.`);
    await sleep(POLL_MS);
  }
}

async function eraseInDeployment(deployment: NonNullable<Place['deployment']>, id: string): Promise<void> {
  const { connect } = await import('./transfer/deployment.ts');
  const { erasures } = connect(deployment, { maxAttempts: 8 });
  await erasures.request(id);
  await waitForErasure(id, erasures.find);
}

async function eraseFromTable(id: string): Promise<void> {
  // Modules of lib/ read environment variables and own fields on import.
  const { SYSTEM } = await import('../../lib/auth/caller.ts');
  const { findErasure } = await import('../../lib/features/erasure/record.ts');
  const { eraseUser } = await import('../../lib/features/erasure/request.ts');
  const { findTraces, isKnown, readIdentity } = await import('./person-traces.ts');
  const identity = await readIdentity(id);
  await eraseUser({ id }, SYSTEM);
  const { earlierRecords = [] } = (await findErasure(id)) ?? {};
  const identities = [identity, ...(await Promise.all(earlierRecords.map(readIdentity)))].filter(isKnown);
  await waitForErasure(id, findErasure);
  if (identities.length === 0)
    return console.error(
      'The table was not searched: no address or name of the person was known any more when this command started.',
    );
  const { scanned, traces } = await findTraces(identities);
  for (const trace of traces) console.error(`Found: ${trace}`);
  console.error(`${scanned} items scanned, ${traces.length} contain an address or name of the person.`);
  if (traces.length > 0) process.exitCode = 1;
}

async function requestErasures(): Promise<void> {
  const { SYSTEM } = await import('../../lib/auth/caller.ts');
  const { eraseUser } = await import('../../lib/features/erasure/request.ts');
  const { ServiceError } = await import('../../lib/errors.ts');
  const ids = (await text(process.stdin)).toLowerCase().split(/\s+/).filter(Boolean);
  let requested = 0;
  for (const id of ids)
    try {
      await eraseUser({ id }, SYSTEM);
      requested++;
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'NOT_FOUND')) throw error;
    }
  console.log(`${requested} of ${ids.length} erasures requested; the table does not contain the other ids`);
}

/** Adds `returned: true` to erasures of users who exist again, for example after an import. */
async function printErasures(): Promise<void> {
  const { getItems } = await import('../../lib/dynamodb/batch.ts');
  const { userKey } = await import('../../lib/dynamodb/keys.ts');
  const { listErasures } = await import('../../lib/features/erasure/record.ts');
  const erasures = await Array.fromAsync(listErasures());
  const users = await getItems(
    erasures.map(({ id }) => userKey(id)),
    { ConsistentRead: true },
  );
  const returned = new Set(users.map(({ pk }) => pk));
  for (const erasure of erasures)
    console.log(JSON.stringify({ ...erasure, ...(returned.has(userKey(erasure.id).pk) ? { returned: true } : {}) }));
}
