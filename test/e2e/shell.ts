import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Emulator } from './emulator.ts';
import { CREDENTIALS, createCleanEnvironment, REGION } from './environment.ts';
import { run, WORK_DIR } from './run.ts';

const FOLDER = join(WORK_DIR, 'shell');

/**
 * PyPI has only version 1 of the AWS CLI. The wrapper makes timestamps and payloads work as in version 2, and passes
 * the endpoint, which version 1 ignores for SQS.
 */
const CONFIG = '[default]\ncli_timestamp_format = iso8601\n';
const createWrapper = (cli: string) => `#!/usr/bin/env bash
args=()
for arg; do [[ $arg =~ ^(--cli-binary-format|raw-in-base64-out)$ ]] || args+=("$arg"); done
exec '${cli}' --endpoint-url "$AWS_ENDPOINT_URL" "\${args[@]}"
`;

export type Shell = (script: string, variables?: Record<string, string>) => Promise<string>;

/** `aws` calls the emulator. Throws if any command fails. */
export async function createShell(commands: string, { endpoint, certificate }: Emulator): Promise<Shell> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'config'), CONFIG);
  await writeFile(join(FOLDER, 'aws'), createWrapper(join(commands, 'aws')));
  await chmod(join(FOLDER, 'aws'), 0o755);
  const clean = createCleanEnvironment();
  const env = {
    ...clean,
    PATH: [FOLDER, clean.PATH].join(delimiter),
    AWS_CONFIG_FILE: join(FOLDER, 'config'),
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: certificate,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  return (script, variables = {}) => run('bash', ['-euo', 'pipefail', '-c', script], { ...env, ...variables });
}
