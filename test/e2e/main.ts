import { join } from 'node:path';
import { checkSignatures, checkTableIsKept, createAda, runIndexer } from './callers.ts';
import { createCdk, synthesize } from './cdk.ts';
import { openProxy } from './proxy.ts';
import { startEmulator } from './emulator.ts';
import { installPythonTools } from './python.ts';
import { runNode, WORK_DIR } from './run.ts';
import { runSteps, step } from './step.ts';

const ASSEMBLY = join(WORK_DIR, 'cdk.out');

await runSteps('the e2e test', async () => {
  const commands = await step('install the pinned emulator', () => installPythonTools('emulator'));
  await using emulator = await step('start the emulator', () => startEmulator(commands));
  const cdk = createCdk(emulator, ASSEMBLY);
  await step('cdk synth', () => synthesize(ASSEMBLY, { target: 'emulator', auth: 'none' }));
  await step('cdk bootstrap', cdk.bootstrap);
  const { ApiUrl, GraphqlUrl, TableName } = await step('cdk deploy', cdk.deploy);

  await using api = await openProxy(emulator, emulator.toApiHost(ApiUrl));
  await using graphql = await openProxy(emulator, new URL(GraphqlUrl).host);
  const proxies = { api, graphql };
  await step('the contract tests pass on the deployed APIs', () => testContract(api.url, graphql.url));

  await using control = await openProxy(emulator, new URL(emulator.endpoint).host);
  await step('index-pages runs', () => runIndexer(control));
  const path = await createAda(proxies);
  await step('cdk synth with auth=iam', () => synthesize(ASSEMBLY, { target: 'emulator', auth: 'iam' }));
  await step('cdk deploy of the change', cdk.deploy);
  await step('only signed requests are accepted, and the data is kept', () => checkSignatures(proxies, path));
  await step('cdk destroy', cdk.destroy);
  await step('the table is kept', () => checkTableIsKept(emulator, TableName));
});

function testContract(API_URL: string, GRAPHQL_URL: string): Promise<string> {
  return runNode('vitest/vitest.mjs', ['run', '--project', 'contract'], {
    ...process.env,
    API_URL,
    GRAPHQL_URL,
    NO_COLOR: '1',
  });
}
