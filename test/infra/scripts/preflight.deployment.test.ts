import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** The identity of this account lacks most rights. */
const AWS_CLI = `#!/usr/bin/env node
const [service, operation, ...args] = process.argv.slice(2);
const region = args[args.indexOf('--region') + 1];
if (service === 'configure') console.log('eu-central-1');
else if (operation === 'get-caller-identity' && process.env.EXPIRED) {
  console.error('\\nAn error occurred (InvalidClientTokenId) when calling the GetCallerIdentity operation: The security token is invalid.');
  process.exitCode = 254;
} else if (operation === 'get-caller-identity') console.log(JSON.stringify({ Account: '1', Arn: 'arn of ' + region }));
else if (operation === 'get-parameter') console.log(JSON.stringify({ Parameter: { Value: args[1].includes('/team1/') ? '31' : '5' } }));
else if (operation === 'describe-stacks') {
  console.error('\\naws: [ERROR]: An error occurred (ValidationError) when calling the DescribeStacks operation: Stack with id ' + args[1] + ' does not exist');
  process.exitCode = 254;
} else {
  console.error('\\nAn error occurred (AccessDeniedException) when calling the Some operation: User: arn is not authorized to perform: ' + service + ':Some on resource: *');
  process.exitCode = 254;
}
`;
/** Answers HEAD requests with the time, because tests use no network. */
const CLOCK = `globalThis.fetch = async () => new Response(null, { headers: { date: new Date().toUTCString() } });`;

const folder = mkdtempSync(join(tmpdir(), 'preflight-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'aws'), AWS_CLI);
chmodSync(join(folder, 'aws'), 0o755);
writeFileSync(join(folder, 'clock.mjs'), CLOCK);

function preflight(args: string[], env: Record<string, string> = {}) {
  const { AWS_REGION, AWS_DEFAULT_REGION, ...inherited } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', join(folder, 'clock.mjs'), 'infra/scripts/preflight.ts', ...args],
    { encoding: 'utf8', env: { ...inherited, PATH: [folder, process.env.PATH].join(delimiter), ...env } },
  );
  return { status, lines: stdout.trim().split('\n'), stderr };
}

test('the command prints a line for each point, and names missing rights', () => {
  const { status, lines, stderr } = preflight(['-c', 'stackName=Team', '-c', '@aws-cdk/core:bootstrapQualifier=team1']);
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  expect(lines).toEqual([
    expect.stringMatching(/^ok {4}clock: \d s from AWS$/),
    'ok    account: arn of eu-central-1, region eu-central-1',
    'ok    stack: Team is new',
    'ok    bootstrap: version 31',
    '?     region: not checked, because the right cloudformation:Some is missing: see access.md',
    '?     table: not checked, because the right dynamodb:Some is missing: see access.md',
    '?     concurrency: not checked, because the right lambda:Some is missing: see access.md',
    expect.stringContaining('?     throttling: '),
    expect.stringContaining('?     roles: '),
    'note  alarms: nobody receives the alarms of Team. Set alarmEmail',
    '10 points: 0 fail, 5 not checked, 1 notes',
  ]);
});

test('rejected credentials end the command, because no other point can be checked', () => {
  const { status, lines } = preflight([], { EXPIRED: 'yes', AWS_REGION: 'eu-west-1' });
  expect(status).toBe(1);
  expect(lines.slice(1)).toEqual([
    'FAILS account: AWS rejects the credentials. Renew them, and enable the region eu-west-1 in the account',
    '2 points: 1 fail, 0 not checked, 0 notes. The others need these first',
  ]);
});

test.each([
  [['-c', 'auth'], 'Not checked: -c is auth; expected: a setting and its value, as in -c auth=jwt'],
  [
    ['-c', 'auth=all'],
    'Not checked: Environment default: The setting auth is "all"; expected: iam, jwt, cognito or none.',
  ],
  [['staging'], 'Not checked: Unknown environment staging in the variable ENVIRONMENT; the environments are default.'],
])('%j is rejected in one sentence', (args, sentence) => {
  expect(preflight(args)).toEqual({ status: 1, lines: [''], stderr: `${sentence}\n` });
});
