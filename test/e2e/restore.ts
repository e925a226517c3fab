import { deepEqual, doesNotMatch, match, notEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Proxies, runIndexer, sendSigned } from './callers.ts';
import type { ApiProxy } from './proxy.ts';
import { DEFINITIONS, readCommands } from './runbook.ts';
import type { Shell } from './shell.ts';

type Deploy = (restoredStream: string) => Promise<{ TableName: string }>;
type Erasures = { table: string; late: string; early: string };

/**
 * Runs the runbook's section "Restore". Erases `early` in the old table after the restored moment, and `late` after the
 * restore. `table` is the restored table.
 */
export async function checkRestore(shell: Shell, { graphql }: Proxies, deploy: Deploy): Promise<Erasures> {
  const [late, early] = [await createPerson(graphql, 'Zebedee'), await createPerson(graphql, 'Quillfeather')];
  await waitFor(async () => deepEqual(await readHistory(graphql, late), ['Zebedee', 'Zebedee King']));
  await waitFor(async () => deepEqual(await readHistory(graphql, early), ['Quillfeather', 'Quillfeather King']));
  const [stop = '', restore = '', check = '', repeat = '', deployCommand = '', allow = ''] = readCommands('Restore');
  const prepared = restore.replace(/--restore-date-time \S+/, `--restore-date-time ${new Date().toISOString()}`);
  const NEW = (await shell(`${DEFINITIONS}\n${stop}\n${prepared}\necho "NEW: $NEW"`)).match(/^NEW: (.+)$/m)?.[1] ?? '';
  const commands = (text: string) => shell(`${DEFINITIONS}\nNEW=${NEW}\n${text}`);
  await shell(`${DEFINITIONS}\necho ${early} | npm run -s erase -- --request --table "$TABLE"`);
  await commands(check);
  match(await commands(`${repeat}\nrm erasures.ndjson`), /^1 of 1 erasures requested/m);
  const [, command = ''] = deployCommand.match(/restoredStream="(\$\(.+\))"/) ?? [];
  const { TableName } = await deploy((await commands(`echo "${command}"`)).trim());
  deepEqual(TableName, NEW);
  await commands(allow);

  // The history is from the former table.
  deepEqual(await readHistory(graphql, late), ['Zebedee', 'Zebedee King']);
  notEqual(
    (await query(graphql, 'mutation ($id: ID!) { deleteUser(input: { id: $id, erase: true }) { id } }', late)).data,
    null,
  );
  return { table: NEW, late, early };
}

/**
 * All personal data must be gone. An erasure takes at least six minutes. If it has completed before, the commands know
 * no names to search for, so this also searches the table.
 */
export async function checkErasures(
  shell: Shell,
  { graphql }: Proxies,
  control: ApiProxy,
  { table, late, early }: Erasures,
): Promise<void> {
  let isDone = false;
  const erased = [late, early].map((id) => shell(`${DEFINITIONS}\nnpm run -s erase -- --table ${table} ${id}`));
  const done = Promise.all(erased).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await Promise.race([done, sleep(20_000)]);
    await runIndexer(control);
  }
  for (const output of await done) match(output, /"completedAt":"\d{4}/);
  const items = await shell(`${DEFINITIONS}\naws dynamodb scan --table-name ${table} --consistent-read --output json`);
  match(items, new RegExp(late));
  doesNotMatch(items, /zebedee|quillfeather/i);
  deepEqual(await readHistory(graphql, late), [undefined, undefined, undefined]);
}

async function createPerson(graphql: ApiProxy, name: string): Promise<string> {
  const create = `mutation { createUser(input: { name: "${name}", email: "${name}@example.com" }) { user { id } } }`;
  const { data } = await query(graphql, create);
  const { id } = (data as { createUser: { user: { id: string } } }).createUser.user;
  await query(
    graphql,
    `mutation ($id: ID!) { updateUser(input: { id: $id, name: "${name} King" }) { user { id } } }`,
    id,
  );
  return id;
}

type History = { userHistory: { nodes: { after: { name: string } | null }[] } | null } | null;

/** Returns the user's names, oldest first. */
async function readHistory(graphql: ApiProxy, id: string): Promise<(string | undefined)[]> {
  const { data } = await query(graphql, 'query ($id: ID!) { userHistory(id: $id) { nodes { after { name } } } }', id);
  return ((data as History)?.userHistory?.nodes ?? []).map(({ after }) => after?.name).toReversed();
}

async function query(graphql: ApiProxy, text: string, id?: string): Promise<{ data?: unknown }> {
  const body = JSON.stringify({ query: text, ...(id ? { variables: { id } } : {}) });
  const headers = { 'content-type': 'application/json' };
  const response = await sendSigned(graphql, 'lambda', '/', { method: 'POST', headers, body });
  // Unchecked: callers compare the content.
  return (await response.json()) as { data?: unknown };
}

const [ATTEMPTS, PAUSE_MS] = [60, 1_000];

/** A change appears in the change log seconds after the write. */
async function waitFor(check: () => Promise<void>): Promise<void> {
  for (let left = ATTEMPTS; ; left--)
    try {
      return await check();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(PAUSE_MS);
    }
}
