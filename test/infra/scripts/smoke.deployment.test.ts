import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestToken } from '../../../infra/scripts/local-token.ts';
import { createClient } from '../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';

/** The URLs of this stack lead to the local service. The identity may only describe the stack. */
const AWS_CLI = `#!/usr/bin/env node
const [service, operation] = process.argv.slice(2);
const outputs = { ApiUrl: process.env.SERVICE_URL + '/', GraphqlUrl: process.env.SERVICE_URL + '/graphql' };
if (operation === 'describe-stacks')
  console.log(JSON.stringify({ Stacks: [{ Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })) }] }));
else {
  console.error('An error occurred (AccessDeniedException) when calling the Some operation: User: arn is not authorized to perform: ' + service + ':Some');
  process.exitCode = 254;
}
`;

const folder = mkdtempSync(join(tmpdir(), 'smoke-test-'));
writeFileSync(join(folder, 'aws'), AWS_CLI);
chmodSync(join(folder, 'aws'), 0o755);

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory', '--fields', 'test/setup/required-own-fields.json']);
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

function smoke(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ status: number; lines: string[]; stderr: string }> {
  const PATH = [folder, process.env.PATH].join(delimiter);
  return new Promise((resolve) => {
    const options = { env: { ...process.env, AWS_REGION: 'eu-west-1', ...env, PATH } };
    execFile(process.execPath, ['infra/scripts/smoke.ts', ...args], options, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), lines: stdout.trim().split('\n'), stderr }),
    );
  });
}

const countUsers = async () => (await createClient({ baseUrl: service.url }).users.page()).total;

test('a service passes with a user that has its required fields, and keeps no user', async () => {
  const { status, lines, stderr } = await smoke(['--url', service.url]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual([
    'note  anonymous',
    'ok    identity',
    'ok    creation',
    'ok    stream',
    'ok    deletion',
    '5 points',
  ]);
  expect(await countUsers()).toBe(0);
});

test('a stack that should require signatures fails, creates no user, and names missing rights', async () => {
  const keys = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' };
  const { status, lines } = await smoke(['default'], { SERVICE_URL: service.url, ...keys });
  expect(status).toBe(1);
  expect(lines).toEqual([
    'FAILS anonymous: REST answers 200 and GraphQL 200 without credentials; expected: 403',
    expect.stringMatching(/^ok {4}identity: /),
    expect.stringContaining('?     page index: not checked, because the right cloudwatch:Some is missing'),
    expect.stringContaining('?     alarms: '),
    expect.stringContaining('?     alarm address: '),
    expect.stringContaining('?     logs: not checked, because the right cloudformation:Some is missing'),
    '6 points: 1 fail, 4 not checked, 0 notes',
  ]);
});

test('a token is accepted, and requests without one are rejected', async () => {
  await using stack = new AsyncDisposableStack();
  const local = await startLocalService(['--memory', '--auth']);
  stack.defer(() => local.stop());
  const [, issuer = ''] = /--issuer (\S+)/.exec(local.printed()) ?? [];
  const token = await requestToken({ issuer, sub: 'operator' });
  const { status, lines } = await smoke(['--url', local.url], { AUTH_TOKEN: token });
  expect([status, lines[0]]).toEqual([0, 'ok    anonymous: both APIs reject requests without credentials with 401']);
});

test.each([
  [['default', '--url', 'http://127.0.0.1:1'], 'Not checked: Use only one of ENVIRONMENT and --url\n'],
  [['--graphql-url', 'http://127.0.0.1:1'], 'Not checked: --graphql-url requires --url\n'],
])('%j is rejected in one sentence', async (args, stderr) => {
  expect(await smoke(args)).toMatchObject({ status: 1, stderr });
});
