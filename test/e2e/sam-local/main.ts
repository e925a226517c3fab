import { equal, match } from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installPythonTools } from '../python.ts';
import { run, runNode } from '../run.ts';
import { runSteps, step } from '../step.ts';
import { startInBackground, waitUntil } from './background.ts';
import { readCommands } from './commands.ts';
import { startContainers } from './containers.ts';

type Shell = (...lines: string[]) => Promise<string>;

/** SAM's gateway answers unknown routes with 403, AWS's with 404. */
const ROUTED_ONLY = ['--testNamePattern', '^(?!.*the gateway)'];

/** Returns the response's body. */
async function invoke(shell: Shell, command: string, status: number): Promise<string> {
  const { statusCode, body } = JSON.parse(await shell(command));
  equal(statusCode, status, body);
  return body;
}

/** GraphQL requests of the contract tests go to `npm start`, which uses the same table. */
await runSteps('sam local', async () => {
  const tools = await step('install SAM CLI', () => installPythonTools('template-tools'));
  await using containers = await step('start Docker or Podman', startContainers);
  const env = {
    ...containers.env,
    PATH: [tools, containers.env.PATH].join(delimiter),
    SAM_CLI_TELEMETRY: '0',
  };
  const shell: Shell = (...lines) => run('bash', ['--norc', '-euo', 'pipefail', '-c', lines.join('\n')], env);
  const commands = await readCommands();

  await using resources = new AsyncDisposableStack();
  resources.defer(() => containers.removeContainer(commands.databaseName));
  await step('docker run starts a database', async () => {
    await shell(commands.runDatabase);
    await waitUntil(() => fetch(commands.databaseUrl));
  });
  resources.use(
    await step('npm start creates the table', () =>
      startInBackground('service', commands.startService, env, () => fetch(commands.serviceUrl)),
    ),
  );
  await step('cdk synth', () => shell(commands.findDatabase, commands.synthesize));

  const created = await step('sam local invoke create-user', () => invoke(shell, commands.createUser, 201));
  const { id } = JSON.parse(created);
  await step('sam local invoke list-users finds the user', async () => {
    const command = commands.createUser.replaceAll('create-user', 'list-users');
    match(await invoke(shell, command, 200), new RegExp(id));
  });
  await step('sam local invoke get-user returns the user', async () => {
    const event = await readFile('test/events/get-user-v1.json', 'utf8');
    const ownId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
    const folder = await mkdtemp(join(tmpdir(), 'sam-event-'));
    const file = join(folder, 'get-user.json');
    await writeFile(file, event.replace(ownId, id));
    const command = commands.createUser.replace('create-user ', 'get-user ').replace(/ -e .*/, ` -e '${file}'`);
    equal(await invoke(shell, command, 200).finally(() => rm(folder, { recursive: true })), created);
  });
  await step('sam local invoke graphql answers a mutation', async () => {
    match(await invoke(shell, commands.createUserByGraphql, 200), /^{"data":{"createUser":{"user":{"id"/);
  });

  resources.use(
    await step('sam local start-api', () =>
      startInBackground('start-api', commands.startApi, env, () => fetch(commands.apiUrl)),
    ),
  );
  await step('the contract tests of REST pass on start-api', async () => {
    const files = ['rest.contract', 'lists.contract'];
    const output = await runNode('vitest/vitest.mjs', ['run', '--project', 'contract', ...files, ...ROUTED_ONLY], {
      ...process.env,
      API_URL: commands.apiUrl,
      GRAPHQL_URL: `${commands.serviceUrl}/graphql`,
      NO_COLOR: '1',
    });
    match(output, /Tests +\d{2,} passed/);
  });
});
