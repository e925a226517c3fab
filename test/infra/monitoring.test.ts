import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { templateOf } from './synth.ts';

const byDefault = templateOf();

test('every alarm says what it means and tells the topic', () => {
  const alarms = Object.values(byDefault.findResources('AWS::CloudWatch::Alarm'));
  expect(alarms.map(({ Properties }) => Properties.AlarmDescription)).toMatchInlineSnapshot(`
    [
      "One in a hundred REST requests or more is answered with 5xx.",
      "A function crashed, timed out, or logged a failure that nobody foresaw.",
      "Ten callers a minute or more, of either door, were sent away for now: the table gave no answer in time.",
      "The slowest hundredth of the REST requests takes 1.5 s or more.",
      "Lambda refuses invocations: the account, or a function, is at its concurrency.",
      "DynamoDB refuses reads or writes: a partition, or the table, is at its throughput.",
      "Changes were given up: subscribers missed them, or posts of deleted users are left.",
      "Changes wait a minute or more for on-change: subscribers hear late.",
      "Users have waited five minutes or more for their page, or index-pages says nothing: pages become slower.",
    ]
  `);
  byDefault.allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [{ Ref: Match.stringLikeRegexp('alarms') }],
  });
  byDefault.resourceCountIs('AWS::SNS::Subscription', 0);
  templateOf({ alarmEmail: 'ops@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  });
});

test('with canary deploys, an alarm takes new code back', () => {
  const canary = templateOf({ canary: 'on' });
  const groups = Object.values(canary.findResources('AWS::CodeDeploy::DeploymentGroup'));
  expect(groups).toHaveLength(7);
  canary.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    AutoRollbackConfiguration: { Enabled: true, Events: Match.arrayWith(['DEPLOYMENT_STOP_ON_ALARM']) },
    AlarmConfiguration: { Enabled: true, Alarms: Array.from({ length: 4 }, () => Match.anyValue()) },
  });
  canary.allResourcesProperties('AWS::ApiGatewayV2::Integration', {
    IntegrationUri: { Ref: Match.stringLikeRegexp('Aliaslive') },
  });
  canary.allResourcesProperties('AWS::Lambda::Url', { Qualifier: 'live' });
  byDefault.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
});

test('for the emulator, the alarms that it cannot make are left out, and nothing else', () => {
  const resources = (template: Template) => new Set(Object.keys(template.toJSON().Resources));
  const [all, kept] = [resources(byDefault), resources(templateOf({ target: 'emulator' }))];
  expect([...kept].filter((id) => !all.has(id))).toEqual([]);
  expect([...all].filter((id) => !kept.has(id)).map((id) => id.replace(/.{8}$/, ''))).toMatchInlineSnapshot(`
    [
      "monitoringservererrors",
      "monitoringfunctionthrottles",
      "monitoringtablethrottles",
    ]
  `);
});
