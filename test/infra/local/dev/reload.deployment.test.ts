import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../../../infra/local/database/engine.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';
import { copySources, writeEnvironments } from '../../../setup/sources.ts';

const folder = copySources();
let service: LocalService;

/** Prints the process and user of each consumed change. */
const ON_CHANGE = `import { createReactions } from '../lib/on-change/reactions.ts';
import { handleStreamBatch } from '../lib/on-change/stream-batch.ts';
const reactions = createReactions();
export async function handler(event) {
  const result = await handleStreamBatch(event, reactions);
  for (const { dynamodb } of event.Records)
    if (dynamodb.Keys.sk.S === 'USER') console.log(process.pid, 'consumed', dynamodb.NewImage.email.S);
  return result;
}`;

/** Appended to worker.ts. After SIGUSR2, the next message kills a standby process, so it dies as it starts to serve. */
const WORKER_END = `process.once("SIGUSR2", () => {
  process.prependListener("message", () => process.kill(process.pid, "SIGKILL"));
  console.log("Ends with the next message");
});
console.log("Process", process.pid);`;

beforeAll(async () => {
  appendFileSync(join(folder, 'infra/local/dev/worker.ts'), WORKER_END);
  writeFileSync(join(folder, 'functions/on-change.ts'), ON_CHANGE);
  // The service does not recognize this form of a loopback address.
  const options = ['--memory', '--reload', '--host', '127.1', '--port', `${await findFreePort()}`];
  service = await startLocalService(options, {}, folder);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const FILE = join('lib', 'errors.ts');
const save = (find: string, replace: string, file = FILE) =>
  writeFileSync(join(folder, file), readFileSync(FILE, 'utf8').replace(find, replace));
/** Saves as git and many editors do. */
function saveByRename(find: string, replace: string) {
  save(find, replace, 'new');
  renameSync(join(folder, 'new'), join(folder, FILE));
}
const readError = async () => {
  const response = await fetch(`${service.url}/v1/users/nobody`);
  return ((await response.json()) as { error: string }).error;
};

async function create(name: string) {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name, email: `${name}@example.org` });
  expect((await fetch(`${service.url}/v1/users`, { method: 'POST', headers, body })).status).toBe(201);
}
const listConsumers = (name: string) => [
  ...new Set(Array.from(service.printed().matchAll(new RegExp(`(\\d+) consumed ${name}`, 'g')), ([, pid]) => pid)),
];
const findNewestProcess = () => Number([...service.printed().matchAll(/Process (\d+)/g)].at(-1)?.[1]);
/** Returns the id of the serving process after the reload. */
async function saveToFindServing(): Promise<number> {
  saveByRename(' not found', ' is unknown to `+process.pid+`');
  const pattern = /unknown to (\d+)/;
  await expect.poll(readError).toMatch(pattern);
  return Number(pattern.exec(await readError())?.[1]);
}

test('a service open to the network prints a warning', async () => {
  await expect.poll(() => service.warned()).toContain('anyone who can reach 127.1 can read and change all data');
});

test('a save reloads the service without downtime or data loss', async () => {
  await create('ada');
  await expect.poll(() => listConsumers('ada')).toHaveLength(1);
  save(' not found', ' is nowhere');
  await expect.poll(readError).toBe('User is nowhere');
  await expect.poll(() => service.printed()).toMatch(/Reloaded in \d+ ms: lib/);
  expect(await (await fetch(`${service.url}/v1/users`)).json()).toMatchObject([{ name: 'ada' }]);
});

test('changes from before a reload are not consumed twice', async () => {
  await create('grace');
  const [before] = listConsumers('ada');
  await expect.poll(() => listConsumers('grace').some((pid) => pid !== before)).toBe(true);
  expect(listConsumers('ada')).toEqual([before]);
});

test('a standby process that has ended is replaced', async () => {
  const serving = await saveToFindServing();
  await expect.poll(findNewestProcess).not.toBe(serving);
  process.kill(findNewestProcess(), 'SIGKILL');
  saveByRename(' not found', ' is elsewhere');
  await expect.poll(readError).toBe('User is elsewhere');
});

test('a save still loads when the standby process is killed as it starts to serve', async () => {
  const serving = await saveToFindServing();
  await expect.poll(findNewestProcess).not.toBe(serving);
  process.kill(findNewestProcess(), 'SIGUSR2');
  await expect.poll(() => service.printed()).toContain('Ends with the next message');
  saveByRename(' not found', ' is saved');
  await expect.poll(readError).toBe('User is saved');
});

test('a crashed service reports it and restarts on the next save', async () => {
  process.kill(await saveToFindServing(), 'SIGKILL');
  await expect.poll(() => service.warned()).toContain('The service has crashed (SIGKILL)');
  saveByRename(' not found', ' is here');
  await expect.poll(() => readError().catch(() => undefined)).toBe('User is here');
  expect(await (await fetch(`${service.url}/v1/users`)).json()).toMatchObject([{ name: 'ada' }, { name: 'grace' }]);
});

test('a file that cannot be loaded leaves the service unchanged until the next save', async () => {
  save(' not found', ' is nowhere`; this is no TypeScript');
  await expect.poll(() => service.printed()).toContain('Not reloaded');
  expect(await readError()).toBe('User is here');
  save(' not found', ' is back');
  await expect.poll(readError).toBe('User is back');
});

test('replacing a file reloads the service', async () => {
  for (const message of [' is lost', ' is found', ' is gone']) {
    saveByRename(' not found', message);
    await expect.poll(readError).toBe(`User${message}`);
  }
});

test('saving a file in a new folder reloads the service', async () => {
  mkdirSync(join(folder, 'lib/new'));
  let saves = 0;
  // Saves repeatedly, because the watch of a new folder starts with a delay.
  await expect
    .poll(
      () => {
        writeFileSync(join(folder, 'lib/new/file.ts'), `export const saves = ${saves++};`);
        return service.printed();
      },
      { interval: 200 },
    )
    .toMatch(/Reloaded in \d+ ms: lib.new.file\.ts/);
});

const saveFields = (fields: object) => writeEnvironments(folder, { default: { fields } });

test('saving an environment applies its declared fields; an invalid declaration leaves the service unchanged', async () => {
  saveFields({ email: { type: 'string' } });
  await expect
    .poll(() => service.warned())
    .toMatch(/^Not started: Environment default: A field cannot be named email: [^\n]+\.$/m);
  await expect.poll(() => service.printed()).toMatch(/^Not reloaded: infra.settings.environments\.ts$/m);
  expect((await fetch(`${service.url}/v1/users`)).status).toBe(200);
  saveFields({ nickname: { type: 'string' } });
  await expect.poll(() => service.printed()).toMatch(/^Reloaded in \d+ ms: infra.settings.environments\.ts$/m);
});
