import { Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { appWith } from './synth.ts';

function checked(context: Record<string, unknown>) {
  const { app, stack } = appWith(context);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return { app, stack };
}

test.each([
  ['by default', {}],
  [
    'with tokens and pages that may call',
    { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', corsOrigins: 'https://app.example.com' },
  ],
  ['when open', { auth: 'none' }],
  [
    'with canary deploys, a key of its own and mailed alarms',
    { canary: 'on', customerManagedKey: 'on', alarmEmail: 'ops@example.com' },
  ],
])('AWS Solutions checks find nothing unexplained %s', (_, context) => {
  const { app } = checked(context);
  expect(() => app.synth()).not.toThrow();
});

test('a resource that they fault, and nobody explained, fails the synthesis', () => {
  const { app, stack } = checked({});
  new Queue(stack, 'bare');
  expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
});
