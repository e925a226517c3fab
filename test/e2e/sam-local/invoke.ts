import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import samEnvironment from '../../../infra/local/sam-env.json' with { type: 'json' };
import { type Invocation, startRuntimeApi } from '../../setup/runtime-api.ts';
import { CREDENTIALS, createCleanEnvironment, REGION } from '../environment.ts';

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Properties: z
        .object({
          Handler: z.string().optional(),
          Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).optional(),
        })
        .default({}),
      Metadata: z.object({ 'aws:asset:path': z.string().optional() }).optional(),
    }),
  ),
});

/** Invokes a function of the template with an event file, as `sam local invoke` does, but without its container. */
export async function invokeAsSam(client: string, file: string, name: string, event: string, extra = {}) {
  const { Resources } = template.parse(JSON.parse(readFileSync(file, 'utf8')));
  const found = Object.values(Resources).find(({ Properties }) => Properties.Handler === `${name}.handler`);
  if (!found) throw new Error(`The template has no function ${name}`);
  await using api = await startRuntimeApi();
  const preload = pathToFileURL(join(import.meta.dirname, 'preload.ts'));
  const child = spawn(process.execPath, [`--import=${preload}`, client], {
    env: {
      ...createCleanEnvironment(),
      ...RUNTIME_VARIABLES,
      ...toStrings(found.Properties.Environment?.Variables ?? {}),
      ...samEnvironment.Parameters,
      ...extra,
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_RUNTIME_API: api.address,
      LAMBDA_TASK_ROOT: join(dirname(file), found.Metadata?.['aws:asset:path'] ?? ''),
      _HANDLER: `${name}.handler`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (data) => (errors += data));
  const exited = once(child, 'exit').then((): Invocation => {
    throw new Error(`The runtime client exited before its response:\n${errors}`);
  });
  exited.catch(() => {}); // After the response, its exit is not an error.
  try {
    return await Promise.race([api.invoke(readFileSync(event, 'utf8')), exited]);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Variables that the container has from Lambda's runtime. Its native client is replaced for results, and not used for events. */
const RUNTIME_VARIABLES = {
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_REGION: REGION,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
  AWS_LAMBDA_LOG_GROUP_NAME: 'functions',
  AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
  AWS_LAMBDA_NODEJS_USE_ALTERNATIVE_CLIENT_1: 'true',
};

/** SAM passes strings and leaves out references, which sam-env.json replaces. */
const toStrings = (variables: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >;
