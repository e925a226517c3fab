import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { ACCOUNT, CREDENTIALS, REGION, withoutAws } from './environment.ts';
import { runNode, WORKSHOP } from './run.ts';

const CLI = 'aws-cdk/bin/cdk';
const STACK = 'Rehearsal';

export type Settings = Record<string, string>;
export type Outputs = { ApiUrl: string; GraphqlUrl: string; TableName: string };

const contextOf = (settings: Settings) =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Synthesises into `folder` as the CLI does for a deploy, and gives the path of the template. */
export async function synthesise(folder: string, settings: Settings = {}): Promise<string> {
  await runNode(
    CLI,
    ['synth', '--quiet', '--output', folder, ...contextOf({ stackName: STACK, ...settings })],
    withoutAws(),
  );
  return join(folder, `${STACK}.template.json`);
}

/** The CDK CLI of the project, at work on the emulator. */
export function cdkOn({ endpoint, certificate }: Emulator) {
  const env = {
    ...withoutAws(),
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: certificate,
    NODE_EXTRA_CA_CERTS: certificate,
    CDK_DISABLE_VERSION_CHECK: '1',
  };
  const assembly = join(WORKSHOP, 'cdk.out');
  const outputs = join(WORKSHOP, 'outputs.json');
  return {
    bootstrap: () => runNode(CLI, ['bootstrap', `aws://${ACCOUNT}/${REGION}`], env),
    async deploy(settings: Settings): Promise<Outputs> {
      const context = contextOf({ stackName: STACK, target: 'emulator', ...settings });
      const options = ['--require-approval', 'never', '--output', assembly, '--outputs-file', outputs];
      await runNode(CLI, ['deploy', ...options, ...context], env);
      return JSON.parse(await readFile(outputs, 'utf8'))[STACK];
    },
    /** Destroys what was deployed last. */
    destroy: () => runNode(CLI, ['destroy', '--force', '--app', assembly], env),
  };
}
