import { cdkOn } from './cdk.ts';
import { openDoor } from './door.ts';
import { startEmulator } from './emulator.ts';
import { pythonCommands } from './python.ts';
import { runNode } from './run.ts';
import { perform, step } from './step.ts';

await perform('rehearsal', async () => {
  const commands = await step('the pinned emulator is installed', () => pythonCommands('emulator'));
  await using emulator = await step('the emulator runs', () => startEmulator(commands));
  const cdk = cdkOn(emulator);
  await step('cdk bootstrap', cdk.bootstrap);
  const outputs = await step('cdk deploy', () => cdk.deploy({ auth: 'none' }));
  await using api = await openDoor(emulator, `${labelOf(outputs.ApiUrl)}.execute-api.localhost`);
  await using graphql = await openDoor(emulator, new URL(outputs.GraphqlUrl).host);
  const urls = { API_URL: api.url, GRAPHQL_URL: graphql.url };
  await step('the contract holds at the deployed doors', () =>
    runNode('vitest/vitest.mjs', ['run', 'test/contract'], { ...process.env, ...urls }),
  );
  await step('cdk deploy, changed', () => cdk.deploy({ auth: 'iam' }));
  await step('cdk destroy', cdk.destroy);
});

function labelOf(url: string): string | undefined {
  return new URL(url).host.split('.')[0];
}
