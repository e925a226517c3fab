import { Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { createApp } from './synth.ts';

function createCheckedApp(context: Record<string, unknown>) {
  const { app, stack } = createApp(context);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

const ALL_SETTINGS = {
  ...{ auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', corsOrigins: 'https://app.example.com' },
  ...{ canary: 'on', customerManagedKey: 'on', alarmEmail: 'ops@example.com', tracing: 'on', events: 'on' },
  webhookUrl: 'https://crm.example.com/hook',
};

const QUALIFIER = '@aws-cdk/core:bootstrapQualifier';

test.each<[string, Record<string, unknown>]>([
  ['by default', {}],
  ['with all settings', ALL_SETTINGS],
  ['with auth=none', { auth: 'none' }],
  ['with the console', { auth: 'none', console: 'on' }],
  ['with logs of CloudFront', { auth: 'none', console: 'on', siteLogs: 'on' }],
  ['with a user pool', { auth: 'cognito' }],
  [
    'with a user pool where people register themselves',
    { auth: 'cognito', selfSignUp: 'on', fields: { sub: { type: 'string', subject: true, self: 'hidden' } } },
  ],
  ['with a bootstrap of another qualifier', { auth: 'none', console: 'on', [QUALIFIER]: 'team1' }],
  ['with a web function', { ...ALL_SETTINGS, subscriptions: 'web-function' }],
])('the AWS Solutions checks pass %s', (_, context) => {
  const { app } = createCheckedApp(context);
  expect(() => app.synth()).not.toThrow();
});

test('a resource that violates a check fails the synthesis', () => {
  const { app, stack } = createCheckedApp({});
  new Queue(stack, 'bare');
  expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
});
