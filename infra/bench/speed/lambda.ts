import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startRuntimeApi } from '../../../test/setup/runtime-api.ts';
import { findFieldVariables } from '../../own-fields/bundled-file.ts';
import type { Candidate } from './candidates.ts';

/**
 * In milliseconds. `ms`: from the request to the response. `initMs` and `processCpuMs`: from the start of the process.
 */
export type Times = { ms: number; initMs: number; handlerMs: number; handlerCpuMs: number; processCpuMs: number };

/** `modules`: built-in Node.js modules. */
export type Loaded = { files: number; bytes: number; modules: number };

type Options = { variables?: Record<string, string> };

/** Flags of Lambda's runtime for functions with 1 GB of memory. */
const LAMBDA_FLAGS = [
  '--expose-gc',
  '--max-http-header-size=81920',
  '--max-semi-space-size=51',
  '--max-old-space-size=921',
];

const RUNTIME = join(import.meta.dirname, 'runtime.cjs');

export async function startLambda({ file, event }: Candidate, database: string, { variables = {} }: Options = {}) {
  const api = await startRuntimeApi();
  const folder = join(file, '..');
  const start = performance.now();
  const child = spawn(process.execPath, [...LAMBDA_FLAGS, RUNTIME], {
    env: {
      ...ENVIRONMENT,
      ...createVariables(api.address, folder, file),
      AWS_ENDPOINT_URL_DYNAMODB: database,
      ...variables,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (data) => (errors += data));
  const exited = once(child, 'exit').then((): never => {
    throw new Error(`${file} exited:\n${errors}`);
  });
  exited.catch(() => {}); // The process exits after the measurement.
  const text = JSON.stringify(event);
  const invoke = async (): Promise<Times & Loaded> => {
    const sent = performance.now();
    const { headers, body, path } = await Promise.race([api.invoke(text), exited]);
    const ms = performance.now() - sent;
    assertSuccess(file, path, body);
    const read = (name: string) => Number(headers[`bench-${name}`]);
    return {
      ms,
      initMs: read('init-ms'),
      handlerMs: read('handler-ms'),
      handlerCpuMs: read('handler-cpu-ms'),
      processCpuMs: read('process-cpu-ms'),
      files: read('files'),
      bytes: read('bytes'),
      modules: read('modules'),
    };
  };
  const stop = async () => {
    child.kill('SIGKILL');
    await api[Symbol.asyncDispose]();
  };
  return { start, invoke, [Symbol.asyncDispose]: stop };
}

/** Omits this process's variables, which may contain an AWS profile or a proxy. */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  TZ: ':UTC',
  LANG: 'en_US.UTF-8',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SESSION_TOKEN: 'bench',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
  TABLE_NAME: 'users',
};

const createVariables = (api: string, folder: string, file: string) => ({
  AWS_LAMBDA_RUNTIME_API: api,
  LAMBDA_TASK_ROOT: folder,
  ...findFieldVariables(folder),
  _HANDLER: file.slice(folder.length + 1),
});

function assertSuccess(file: string, path: string, result: string): void {
  const { statusCode = 200, body = '' } = JSON.parse(result) ?? {};
  if (path.endsWith('/response') && statusCode < 300 && !body.includes('"errors"')) return;
  throw new Error(`The function ${file} failed: ${result}`);
}
