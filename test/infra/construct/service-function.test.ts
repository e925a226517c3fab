import { expect, test } from 'vitest';
import { operationNames } from '../../../lib/rest/operations.ts';
import { synthesize } from './synth.ts';

/** Returns variables of functions that write, follow or show the change log, or delete users. */
function readVariables(settings: Record<string, string>) {
  const resources = synthesize(settings).findResources('AWS::Lambda::Function');
  return ['on-change', 'index-pages', 'graphql', 'list-users', 'delete-user'].map((name) => {
    const found = Object.values(resources).find(({ Properties }) => Properties.Handler === `${name}.handler`);
    const { CHANGE_LOG, HISTORY_DAYS } = found?.Properties.Environment.Variables ?? {};
    return { name, ...(CHANGE_LOG ? { CHANGE_LOG } : {}), ...(HISTORY_DAYS ? { HISTORY_DAYS } : {}) };
  });
}

const all = (variables: object) =>
  ['on-change', 'index-pages', 'graphql', 'list-users', 'delete-user'].map((name) => ({ name, ...variables }));

test.each([
  [{}, {}],
  [{ maxStreams: '0' }, { CHANGE_LOG: 'off' }],
  [{ maxStreams: '0', events: 'on' }, {}],
  [{ maxStreams: '0', historyDays: '1' }, { HISTORY_DAYS: '1' }],
  [{ historyDays: '3650' }, { HISTORY_DAYS: '3650' }],
])('with the settings %j, functions have the variables %j', (settings, variables) => {
  expect(readVariables(settings)).toEqual(all(variables));
});

test('all functions log to one group, and may write to groups of earlier deploys, for a canary or rollback', () => {
  const template = synthesize({ events: 'on', auth: 'none', console: 'on' });
  const groups = new Set(
    Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) =>
      JSON.stringify(Properties.LoggingConfig?.LogGroup),
    ),
  );
  expect(groups).toEqual(new Set(['{"Ref":"logs0B6081B1"}']));
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const logging = policies.filter(({ Properties }) => JSON.stringify(Properties).includes('logs:PutLogEvents'));
  expect(logging.length).toBeGreaterThan(operationNames.length);
  for (const { Properties } of logging)
    expect(JSON.stringify(Properties.PolicyDocument)).toMatch(/:log-group:UserManagement-logs0B6081B1-\*"/);
  template.allResources('AWS::Logs::LogGroup', {
    UpdateReplacePolicy: 'Retain',
    DeletionPolicy: 'RetainExceptOnCreate',
  });
});
