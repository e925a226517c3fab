import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { synthesize } from './synth.ts';

const defaultTemplate = synthesize();

test('every alarm has a meaning and notifies the topic', () => {
  const alarms = Object.values(defaultTemplate.findResources('AWS::CloudWatch::Alarm'));
  expect(alarms.map(({ Properties }) => Properties.AlarmDescription)).toMatchInlineSnapshot(`
    [
      "At least 1 percent of the REST requests are answered with 5xx.",
      "A function crashed, timed out or logged an internal error.",
      "At least 10 requests a minute, REST or GraphQL, got SERVICE_UNAVAILABLE because DynamoDB did not answer.",
      "The p99 latency of REST requests is 1.5 s or more.",
      "Lambda throttles invocations: the account or a function has reached its concurrency limit.",
      "DynamoDB throttles reads or writes: a partition or the table has reached its throughput limit.",
      "on-change gave up on changes: subscribers missed them, or posts of deleted users remain.",
      "Changes wait a minute or more for on-change: subscribers receive them late.",
      "on-change is not connected to the table's stream: subscribers receive nothing.",
      "New users have waited five minutes or more to be indexed, or index-pages does not run: pages get slower.",
    ]
  `);
  defaultTemplate.allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [{ Ref: Match.stringLikeRegexp('alarms') }],
  });
  defaultTemplate.resourceCountIs('AWS::SNS::Subscription', 0);
  synthesize({ alarmEmail: 'ops@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  });
});

test('with canary=on, an alarm rolls new code back', () => {
  const canary = synthesize({ canary: 'on' });
  const groups = Object.values(canary.findResources('AWS::CodeDeploy::DeploymentGroup'));
  expect(groups).toHaveLength(7);
  canary.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    AutoRollbackConfiguration: { Enabled: true, Events: Match.arrayWith(['DEPLOYMENT_STOP_ON_ALARM']) },
    AlarmConfiguration: { Enabled: true, Alarms: Array.from({ length: 4 }, () => Match.anyValue()) },
  });
});

test('target=emulator omits the alarms that the emulator does not support, and nothing else', () => {
  const listIds = (template: Template) => new Set(Object.keys(template.toJSON().Resources));
  const all = listIds(defaultTemplate);
  const kept = listIds(synthesize({ target: 'emulator' }));
  expect([...kept].filter((id) => !all.has(id))).toEqual([]);
  expect([...all].filter((id) => !kept.has(id)).map((id) => id.replace(/.{8}$/, ''))).toMatchInlineSnapshot(`
    [
      "monitoringservererrors",
      "monitoringfunctionthrottles",
      "monitoringtablethrottles",
    ]
  `);
});
