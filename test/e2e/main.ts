import { deepEqual, notEqual, ok, rejects } from 'node:assert/strict';
import { join } from 'node:path';
import { checkNobodyGetsIn } from './auth-switch.ts';
import { checkSignatures, checkTableIsKept, createAda, runIndexer } from './callers.ts';
import { createCdk, type Outputs, STACK, synthesize } from './cdk.ts';
import { checkConsole } from './console.ts';
import { type Emulator, startEmulator } from './emulator.ts';
import { REGION } from './environment.ts';
import { checkEvents } from './events.ts';
import { openProxy } from './proxy.ts';
import { installPythonTools } from './python.ts';
import { checkErasures, checkRestore } from './restore.ts';
import { runNode, WORK_DIR } from './run.ts';
import { checkRedrive, checkRemains, checkTableConsistency, checkWritesStop } from './runbook.ts';
import { createShell, type Shell } from './shell.ts';
import { runSteps, step } from './step.ts';
import { checkStreamAcross } from './subscription.ts';
import { synthesizeTeamApp, TEAM_STACK } from './team-app.ts';

const ASSEMBLY = join(WORK_DIR, 'cdk.out');
const APP = 'test/e2e/app.ts';
const OTHER_REGION = 'eu-west-1';

/*
 * The emulator lacks throttling by the API, metric filters, deletion protection, encryption, the schema registry and
 * CodeDeploy (canary=on). awslambda.ts and proxy.ts replace other missing parts.
 */
await runSteps('the e2e test', async () => {
  const commands = await step('install the pinned emulator', () => installPythonTools('emulator'));
  const shellCommands = await step('install the AWS CLI', () => installPythonTools('shell-tools'));
  await using emulator = await step('start the emulator', () => startEmulator(commands));
  const shell = await createShell(shellCommands, emulator);
  const cdk = createCdk(emulator, ASSEMBLY);
  // Each stream counts for 90 s against the only caller's limit.
  const settings = { maxStreams: '20', concurrency: '1000', events: 'on', dashboard: 'on' };
  await step('cdk synth', () =>
    synthesize(ASSEMBLY, { auth: 'none', graphqlConcurrency: 'unlimited', ...settings }, APP),
  );
  await step('preflight foresees that the account is not bootstrapped', () =>
    checkPreflight(shell, [
      `ok    stack: ${STACK} is new`,
      'FAILS bootstrap:',
      `ok    table: the name ${STACK}-users is free`,
    ]),
  );
  await step('cdk bootstrap', cdk.bootstrap);
  const outputs = await step('cdk deploy', cdk.deploy);
  // The emulator cannot find a resource's stack, so the point `table` would be wrong.
  await step('preflight recognizes the stack', () =>
    checkPreflight(shell, [`ok    stack: ${STACK} exists`, 'ok    bootstrap:']),
  );

  await using api = await openProxy(emulator, emulator.toApiHost(outputs.ApiUrl));
  await using graphql = await openProxy(emulator, new URL(outputs.GraphqlUrl).host);
  const proxies = { api, graphql };
  await step('the contract tests pass on the deployed APIs', () => testContract(api.url, graphql.url));
  await step('the published console creates a user and shows the change', () =>
    checkConsole(proxies, join(WORK_DIR, 'console')),
  );

  await using control = await openProxy(emulator, new URL(emulator.endpoint).host);
  await step('index-pages runs', () => runIndexer(control));
  await step("the runbook's commands redrive a dead letter", () => checkRedrive(shell));
  await step('a rule on the event bus delivers the event of a new user to a queue', () =>
    checkEvents(shell, api, outputs.EventBusName),
  );
  const path = await createAda(proxies);
  const graphqlConcurrency = '50';
  const changed = { auth: 'iam', graphqlConcurrency, ...settings };
  await step('cdk synth with auth=iam', () => synthesize(ASSEMBLY, changed, APP));
  await step('cdk deploy of the change keeps URLs, table, and an open stream', () =>
    checkStreamAcross(proxies, path, async () => deepEqual(await cdk.deploy(), outputs)),
  );
  await step('only signed requests are accepted, and the data is kept', () => checkSignatures(proxies, path));
  await step("the runbook's commands stop writes and allow them again", () =>
    checkWritesStop(shell, graphqlConcurrency),
  );
  await step("the runbook's check of the table finds nothing", () => checkTableConsistency(shell, outputs.TableName));
  const restored = { ...outputs, restoredStream: '' };
  const erasures = await step('the runbook restores the table, and histories go on', () =>
    checkRestore(shell, proxies, async (restoredStream) => {
      await synthesize(ASSEMBLY, { ...changed, restoredStream }, APP);
      const { TableName, ...others } = await cdk.deploy();
      deepEqual({ ...others, TableName: outputs.TableName }, outputs);
      Object.assign(restored, { TableName, restoredStream });
      return { TableName };
    }),
  );
  // The requested erasures wait for six minutes meanwhile.
  await step('a switch of auth to tokens and back answers nobody who is anonymous at any moment', () =>
    checkNobodyGetsIn(proxies, async () => {
      const { restoredStream, ...expected } = restored;
      const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };
      for (const auth of [tokens, { auth: 'iam' }]) {
        await synthesize(ASSEMBLY, { ...auth, graphqlConcurrency, ...settings, restoredStream }, APP);
        deepEqual(await cdk.deploy(), expected);
      }
    }),
  );
  await step('signed requests are accepted again', () => checkSignatures(proxies, path));
  await step('an app of a team deploys the package, and the contract tests pass', () => deployTeamApp(emulator));
  await step('erasures leave nothing in the restored table', () => checkErasures(shell, proxies, control, erasures));
  await synthesize(ASSEMBLY, changed, APP);
  // A late step, because in the emulator the roles of both stacks have the same names.
  await step('a stack of the same name deploys into a second region', () => deployElsewhere(emulator, shell, outputs));
  await step('cdk destroy is rejected until the protection of the stack is off', () =>
    rejects(cdk.destroy(), /TerminationProtection is enabled/),
  );
  await step('cdk destroy', () => destroy(shell, cdk));
  await step('the table is kept', () => checkTableIsKept(emulator, outputs.TableName));
  await step('only the two tables and log groups are kept', () => checkRemains(shell, 2));
});

/** The stacks must share no URL or global name. */
async function deployElsewhere(emulator: Emulator, shell: Shell, outputs: Outputs): Promise<void> {
  const cdk = createCdk(emulator, ASSEMBLY, { region: OTHER_REGION });
  await cdk.bootstrap();
  const others = await cdk.deploy();
  notEqual(others.ApiUrl, outputs.ApiUrl);
  notEqual(others.GraphqlUrl, outputs.GraphqlUrl);
  const dashboards = await shell(`for region in ${REGION} ${OTHER_REGION}; do
    aws --region $region cloudwatch list-dashboards --query 'DashboardEntries[].DashboardName' --output text
  done`);
  deepEqual(dashboards.trim().split('\n'), [`${STACK}-${REGION}`, `${STACK}-${OTHER_REGION}`]);
  await destroy(shell, cdk, OTHER_REGION);
}

/** The stack has no termination protection and retains nothing. */
async function deployTeamApp(emulator: Emulator): Promise<void> {
  const cdk = createCdk(emulator, await synthesizeTeamApp(), { stack: TEAM_STACK });
  const outputs = await cdk.deploy();
  await using api = await openProxy(emulator, emulator.toApiHost(outputs.ApiUrl));
  await using graphql = await openProxy(emulator, new URL(outputs.GraphqlUrl).host);
  await testContract(api.url, graphql.url);
  await cdk.destroy();
}

async function destroy(shell: Shell, cdk: ReturnType<typeof createCdk>, region = REGION): Promise<void> {
  await shell(
    `aws --region ${region} cloudformation update-termination-protection --stack-name ${STACK} --no-enable-termination-protection`,
  );
  await cdk.destroy();
}

function testContract(API_URL: string, GRAPHQL_URL: string): Promise<string> {
  return runNode('vitest/vitest.mjs', ['run', '--project', 'contract'], {
    ...process.env,
    API_URL,
    GRAPHQL_URL,
    NO_COLOR: '1',
  });
}

/** The emulator lacks the API of the point `region`, so the command exits with 1. */
async function checkPreflight(shell: Shell, expected: string[]): Promise<void> {
  const output = await shell(`npm run -s preflight -- -c stackName=${STACK} || true`);
  for (const line of expected) ok(output.includes(line), output);
}
