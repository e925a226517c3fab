import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { expect, test } from 'vitest';
import { findCodeBlocks } from '../setup/markdown.ts';
import { createApp } from './construct/synth.ts';

const deployGuide = readFileSync('infra/README.md', 'utf8');
const runbook = readFileSync('infra/runbook.md', 'utf8');
const commands = [deployGuide, runbook].flatMap((page) => findCodeBlocks(page, 'sh'));

/** The table rows that start with a name in code. */
const rows = [...runbook.matchAll(/^\| `([A-Za-z-]+)` \|(.*)\|$/gm)].map(([, name, cells = '']) => ({
  name,
  cells: cells.split(' | ').map((cell) => cell.trim()),
}));

test('the runbook has a row for every alarm, with its meaning and what to do', () => {
  const alarms = createApp({ events: 'on', subscriptions: 'web-function' })
    .stack.node.findAll()
    .filter((construct) => construct instanceof CfnAlarm);
  expect(alarms.length).toBeGreaterThan(0);
  for (const { node, alarmDescription } of alarms) {
    const name = node.scope?.node.id;
    const [meaning, , remedy] = rows.find((row) => row.name === name)?.cells ?? [];
    expect([name, meaning]).toEqual([name, alarmDescription]);
    expect(remedy?.length, name).toBeGreaterThan(20);
  }
});

test.each([...commands, readFileSync('infra/resources.sh', 'utf8')])('the commands are valid in bash: %s', (input) => {
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

test('the restored table is active before each change, as DynamoDB takes one change of a table at a time', () => {
  const restore = restoreCommands.find((text) => text.includes('restore-table-to-point-in-time')) ?? '';
  const input = `TABLE=users; aws() { echo "$2"; }\n${restore}`;
  const { stdout } = spawnSync('bash', { input, encoding: 'utf8' });
  const called = stdout.trim().split('\n');
  const changes = called.flatMap((name, index) => (name.startsWith('update-') ? [[called[index - 1], name]] : []));
  expect(changes.length).toBeGreaterThanOrEqual(3);
  for (const [before, name] of changes) expect([before, name]).toEqual(['wait', name]);
});

test('the stack switches to the restored table at once, not by a canary that the alarms roll back', () => {
  const deploy = restoreCommands.find((text) => text.includes('npm run deploy'));
  expect(deploy).toMatch(/npm run deploy -- -c canary=off -c restoredStream=/);
});

test('no command of the restore runs once per item', () => {
  expect(restoreCommands.filter((text) => /while read|delete-item/.test(text))).toEqual([]);
});

const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'web' };
test.each([{}, tokens].map((auth) => ({ ...auth, subscriptions: 'web-function' })))(
  'a restore denies the web function the table, and then no longer: %j',
  (context) => {
    const roles = Object.entries(Template.fromStack(createApp(context).stack).findResources('AWS::IAM::Role'));
    const role = roles.map(([id]) => id).filter((id) => id.includes('graphqlserver'));
    expect(role).toHaveLength(1);
    // What `resource` finds: the roles whose ids start with a prefix.
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
  const [policy = '{}'] = findCodeBlocks(deployGuide, 'json');
  const statements: { Action: string; Condition?: object }[] = JSON.parse(policy).Statement;
  expect(statements.find(({ Action }) => Action === 'lambda:InvokeFunction')?.Condition).toEqual({
    Bool: { 'lambda:InvokedViaFunctionUrl': 'true' },
  });
});
