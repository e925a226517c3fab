import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { expect, test } from 'vitest';
import { grants } from '../../infra/construct/grants.ts';
import { operations } from '../../lib/rest/operations.ts';
import { findCodeBlocks } from '../setup/markdown.ts';
import { createApp, createService } from './construct/synth.ts';

const accessPage = readFileSync('infra/access.md', 'utf8');
const runbook = readFileSync('infra/runbook.md', 'utf8');
const otherPages = ['infra/README.md', 'infra/first-deployment.md'].map((page) => readFileSync(page, 'utf8'));
const commands = [runbook, accessPage, ...otherPages].flatMap((page) => findCodeBlocks(page, 'sh'));

const readSection = (name: string) => runbook.split(`\n### ${name}\n`)[1]?.split(/\n##/)[0] ?? '';

const resourcesScript = readFileSync('infra/resources.sh', 'utf8');

test('the runbook has a section for every alarm: meaning, command, and actions', () => {
  const fields = { sub: { type: 'string', subject: true, self: 'hidden' } };
  const contexts = [
    { subscriptions: 'function-url', auth: 'cognito', selfSignUp: 'http://localhost:3000/', fields },
    { subscriptions: 'web-function' },
  ];
  const alarms = contexts.flatMap((context) =>
    createApp({ events: 'on', webhookUrl: 'https://crm.example.com/hook', ...context })
      .stack.node.findAll()
      .filter((construct) => construct instanceof CfnAlarm),
  );
  expect(alarms.map(({ node }) => node.scope?.node.id)).toContain('function-errors-2');
  expect(alarms.length).toBeGreaterThan(20);
  for (const { node, alarmDescription = '' } of alarms) {
    const name = node.scope?.node.id ?? '';
    const section = readSection(name);
    expect(section, name).toContain(alarmDescription.split(' Runbook: ')[0]);
    expect(section, name).toMatch(/```sh\n.*```\n\n- .{10}/s);
  }
});

test('resources.sh defines every function that the runbook calls', () => {
  const defined = [...resourcesScript.matchAll(/^(\w+)\(\)/gm)].map(([, name]) => name);
  const called = ['alarms', 'last_deploy', 'errors', 'query', 'access', 'top_callers', 'throttle_queries', 'ago'];
  expect(defined).toEqual(expect.arrayContaining(called));
  for (const name of called) expect(runbook).toMatch(new RegExp(`(^|\\()${name}\\b`, 'm'));
});

/** Sources resources.sh with variables of an earlier stack. */
function source(aws: string, shell = 'bash') {
  const input = `aws() { ${aws}; }
    STACK=Users TABLE=earlier-users ON_CHANGE=earlier PUBLISH_EVENTS=earlier INDEX_PAGES=earlier
    . infra/resources.sh
    echo "$? $TABLE,$ON_CHANGE,$PUBLISH_EVENTS,$INDEX_PAGES"`;
  const { stdout, stderr } = spawnSync(shell, { input, encoding: 'utf8' });
  return { stdout: stdout.trim(), stderr };
}

test('resources.sh finds the resources of the stack', () => {
  const aws = 'case "$*" in *TableName*) echo Users-users ;; *changesonchange*) echo Users-on-change ;; esac';
  expect(source(aws)).toEqual({ stdout: '0 Users-users,Users-on-change,,', stderr: '' });
});

test.each([
  ['with expired credentials', 'echo ExpiredToken >&2; return 254', 'ExpiredToken\n'],
  ['with credentials that expire meanwhile', 'case "$*" in *TableName*) echo Users-users ;; *) return 254 ;; esac', ''],
  ['if the stack has no service of this name', 'true', ''],
])('%s, resources.sh stops, and leaves no variables of an earlier stack', (_, aws, message) => {
  const { stdout, stderr } = source(aws);
  expect(stdout).toBe('1 ,,,');
  expect(stderr).toBe(
    `${message}Stopped: no service was found in the stack 'Users'. Check the credentials, AWS_REGION, STACK and, in your own CDK app, SERVICE.\n`,
  );
});

/** The fake AWS CLI reports these states in turn. */
function runQuery(states: string[], results: object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-'));
  const aws = `aws() {
    case "$*" in
      *list-stack-resources*) echo the-log ;;
      *start-query*) echo "$*" >&2; echo id-1 ;;
      *get-query-results*) state=$(head -1 "$STATES"); sed -i.bak 1d "$STATES"; echo "{\\"status\\":\\"$state\\",\\"results\\":$RESULTS}" ;;
    esac
  }
  sleep() { :; }`;
  const script = resourcesScript.replace(/^find_resources\(\).*?(?=\n# The alarms)/ms, '');
  const env = { ...process.env, STATES: join(folder, 'states'), RESULTS: JSON.stringify(results) };
  writeFileSync(env.STATES, `${states.join('\n')}\n`);
  const input = `${aws}\n${script}\nquery 15 'fields @message'`;
  const { stdout, stderr, status } = spawnSync('bash', { input, encoding: 'utf8', env });
  rmSync(folder, { recursive: true });
  return { stdout, stderr, status };
}

test('a query waits until it ends, then prints a line per result', () => {
  const results = [
    [
      { field: 'message.event', value: 'internal-error' },
      { field: '@ptr', value: 'x' },
      { field: 'n', value: '2' },
    ],
  ];
  const { stdout, stderr } = runQuery(['Scheduled', 'Running', 'Complete'], results);
  expect(stdout).toBe('message.event=internal-error  n=2\n');
  expect(stderr).toMatch(/--log-group-name the-log --start-time \d+ --end-time \d+ --query-string fields @message/);
});

const settings = { events: true, webhookUrl: 'https://crm.example.com/hook', outputs: true };
test.each([
  ['the stack of this repository', '', createApp({ events: 'on', webhookUrl: settings.webhookUrl }).stack],
  ['a CDK app', 'Users', createService(settings).stack],
])('the command output finds the outputs that the pages read, in %s', (_, service, stack) => {
  const names = Object.keys(Template.fromStack(stack).findOutputs('*'));
  const aws = `aws() {
    [[ $* =~ starts_with\\(OutputKey,\\ \\'([A-Za-z]+)\\'\\) ]] && grep "^\${BASH_REMATCH[1]}" <<< '${names.join('\n')}'
    true
  }`;
  const pages = ['runbook', 'events', 'access'].map((page) => readFileSync(`infra/${page}.md`, 'utf8')).join('\n');
  const read = [...new Set([...pages.matchAll(/\$\(output (\w+)\)/g)].map(([, name = '']) => name))];
  expect(read.length).toBeGreaterThan(3);
  const input = `SERVICE=${service}\n${aws}\n${resourcesScript}\nfor name in ${read.join(' ')}; do output "$name"; done`;
  const { stdout } = spawnSync('bash', { input, encoding: 'utf8' });
  const found = stdout.trim().split('\n');
  expect(found).toEqual(read.map((name) => expect.stringMatching(new RegExp(`^${service}${name}[0-9A-F]*$`))));
});

test.each(['', 'Users'])(
  'alarms lists all alarms of the service, and none of another stack or service: %s',
  (service) => {
    const input = `STACK=App SERVICE=${service}\naws() { echo "$@"; }\n${resourcesScript}\nalarms`;
    const [, prefix = ''] =
      /--alarm-name-prefix (\S+)/.exec(spawnSync('bash', { input, encoding: 'utf8' }).stdout) ?? [];
    const { stack } = service ? createService(settings, undefined, service) : createApp({ events: 'on' });
    const names = Object.keys(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      expect(`App-${name}-AbC`.startsWith(prefix)).toBe(true);
      for (const other of ['App-staging-', 'App-Staff']) expect(`${other}${name}-AbC`.startsWith(prefix)).toBe(false);
    }
  },
);

test('a query without results says so, a failed one fails', () => {
  expect(runQuery(['Complete'], [])).toMatchObject({ stdout: 'No line matches.\n', status: 0 });
  expect(runQuery(['Timeout'], [])).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('The query has the status Timeout.'),
    status: 1,
  });
});

test.each([...commands, resourcesScript])('the commands are valid in bash: %s', (input) => {
  expect(spawnSync('bash', ['-n'], { input, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('the commands call npm scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const called = commands.flatMap((text) => [...text.matchAll(/npm run (?:-s )?([\w-]+)/g)]);
  expect(called.length).toBeGreaterThan(4);
  for (const [, name] of called) expect(Object.keys(scripts)).toContain(name);
});

const [, restore = ''] = runbook.split('\n## Restore\n');
const restoreCommands = findCodeBlocks(restore.split('\n## ')[0] ?? '', 'sh');

test('the commands wait until the restored table is active before each change, as DynamoDB rejects concurrent changes', () => {
  const restore = restoreCommands.find((text) => text.includes('restore-table-to-point-in-time')) ?? '';
  const input = `TABLE=users; aws() { echo "$2"; }\n${restore}`;
  const { stdout } = spawnSync('bash', { input, encoding: 'utf8' });
  const called = stdout.trim().split('\n');
  const changes = called.flatMap((name, index) => (name.startsWith('update-') ? [[called[index - 1], name]] : []));
  expect(changes.length).toBeGreaterThanOrEqual(3);
  for (const [before, name] of changes) expect([before, name]).toEqual(['wait', name]);
});

test('the stack switches to the restored table without a canary, which alarms would roll back', () => {
  const deploy = restoreCommands.find((text) => text.includes('npm run deploy'));
  expect(deploy).toMatch(/npm run deploy -- -c canary=off -c restoredStream=/);
});

test('no command of the restore runs once per item', () => {
  expect(restoreCommands.filter((text) => /while read|delete-item/.test(text))).toEqual([]);
});

test('a restore stops the functions of all operations that write', () => {
  const writing = Object.entries(grants).filter(([, { table }]) => table.includes('PutItem'));
  // Excludes functions that write only the issuer of the token, and the count of downloads.
  const excluded = ['get-me', 'get-my-data'];
  const names = writing
    .map(([name]) => name)
    .filter((name) => name === 'graphql' || (name in operations && !excluded.includes(name)));
  for (const name of ['stop_writes', 'allow_writes']) {
    const block = restoreCommands.find((text) => text.includes(`${name}() {`)) ?? '';
    const stopped = /for function in (.*); do/.exec(block)?.[1]?.split(' ');
    expect(stopped?.toSorted(), name).toEqual(names.map((each) => each.replaceAll('-', '')).toSorted());
  }
});

const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'web' };
test.each([{}, tokens].map((auth) => ({ ...auth, subscriptions: 'web-function' })))(
  'a restore denies the web function access to the table, then allows it again: %j',
  (context) => {
    const roles = Object.entries(Template.fromStack(createApp(context).stack).findResources('AWS::IAM::Role'));
    const role = roles.map(([id]) => id).filter((id) => id.includes('graphqlserver'));
    expect(role).toHaveLength(1);
    // Finds roles by the prefix of their ids, instead of infra/resources.sh.
    const input = `
      roles='${roles.map(([id]) => id).join('\n')}'
      resource() { [ "$1" != IAM::Role ] || grep "^$2" <<< "$roles"; }
      aws() { echo "$@" | grep -o '[a-z-]*-role-policy --role-name [^ ]*'; }
      ${restoreCommands.filter((text) => /stop_writes|allow_writes/.test(text)).join('\n')}`;
    const { stdout } = spawnSync('bash', { input, encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(
      ['put', 'delete'].map((verb) => `${verb}-role-policy --role-name ${role[0]}`),
    );
  },
);

test('the IAM policy allows invocations through the Function URL only', () => {
  const [policy = '{}'] = findCodeBlocks(accessPage, 'json');
  const statements: { Action: string; Condition?: object }[] = JSON.parse(policy).Statement;
  expect(statements.find(({ Action }) => Action === 'lambda:InvokeFunction')?.Condition).toEqual({
    Bool: { 'lambda:InvokedViaFunctionUrl': 'true' },
  });
});
