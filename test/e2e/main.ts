import { join } from 'node:path';
import { checkSignatures, checkTableIsKept, createAda, runIndexer } from './callers.ts';
import { cdkOn, synthesise } from './cdk.ts';
import { openProxy } from './proxy.ts';
import { startEmulator } from './emulator.ts';
import { pythonCommands } from './python.ts';
import { runNode, WORK_DIR } from './run.ts';
import { runSteps, step } from './step.ts';

const ASSEMBLY = join(WORK_DIR, 'cdk.out');

await runSteps('the e2e test', async () => {
  const commands = await step('the pinned emulator is installed', () => pythonCommands('emulator'));
  await using emulator = await step('the emulator runs', () => startEmulator(commands));
  const cdk = cdkOn(emulator, ASSEMBLY);
  await step('cdk synth', () => synthesise(ASSEMBLY, { target: 'emulator', auth: 'none' }));
  await step('cdk bootstrap', cdk.bootstrap);
  const { ApiUrl, GraphqlUrl, TableName } = await step('cdk deploy', cdk.deploy);

  await using api = await openProxy(emulator, emulator.apiHost(ApiUrl));
  await using graphql = await openProxy(emulator, new URL(GraphqlUrl).host);
  const doors = { api, graphql };
  await step('the contract holds at the deployed doors', () => testContract(api.url, graphql.url));

  await using control = await openProxy(emulator, new URL(emulator.endpoint).host);
  await step('the page indexer runs', () => runIndexer(control));
  const path = await createAda(doors);
  await step('cdk synth, with auth changed to iam', () => synthesise(ASSEMBLY, { target: 'emulator', auth: 'iam' }));
  await step('cdk deploy of the change', cdk.deploy);
  await step('only signed callers get in, and find the data', () => checkSignatures(doors, path));
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
