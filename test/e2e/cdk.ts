import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { ACCOUNT, CREDENTIALS, createCleanEnvironment, REGION } from './environment.ts';
import { runNode, WORK_DIR } from './run.ts';

const CLI = 'aws-cdk/bin/cdk';
export const STACK = 'EndToEnd';

export type Settings = Record<string, string>;
export type Outputs = { ApiUrl: string; GraphqlUrl: string; TableName: string; EventBusName: string };

const formatContext = (settings: Settings) =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Only the CDK CLI adds the asset metadata that SAM needs. */
export async function synthesize(folder: string, settings: Settings, app = 'infra/app.ts'): Promise<string> {
  await runNode(
    CLI,
    [
      'synth',
      '--quiet',
      '--app',
      `node ${app}`,
      '--output',
      folder,
      ...formatContext({ stackName: STACK, ...settings }),
    ],
    createCleanEnvironment(),
  );
  return join(folder, `${STACK}.template.json`);
}

/** Commands that deploy the assembly in `folder`. */
export function createCdk(
  { endpoint, certificate }: Emulator,
  folder: string,
  { region = REGION, stack = STACK } = {},
) {
  const env = {
    ...createCleanEnvironment(),
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: region,
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: certificate,
    CDK_DISABLE_VERSION_CHECK: '1',
  };
  const cdk = (command: string, ...args: string[]) => runNode(CLI, [command, '--app', folder, ...args], env);
  const outputs = join(WORK_DIR, 'outputs.json');
  return {
    bootstrap: () => cdk('bootstrap', `aws://${ACCOUNT}/${region}`),
    async deploy(): Promise<Outputs> {
      await cdk('deploy', '--require-approval', 'never', '--outputs-file', outputs);
      return JSON.parse(await readFile(outputs, 'utf8'))[stack];
    },
    destroy: () => cdk('destroy', '--force'),
  };
}
