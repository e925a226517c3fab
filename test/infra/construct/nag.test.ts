import { App, NestedStack, Stack, Validations } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import type { UserManagementProps } from '../../../infra/construct/props.ts';
import { UserManagement } from '../../../infra/construct/user-management.ts';
import { variants } from '../../e2e/template/variants.ts';
import { completeProps, createApp } from './synth.ts';

function createCheckedApp(context: Record<string, unknown>) {
  const { app, stack } = createApp(context);
  addChecks(app);
  return { app, stack };
}

const addChecks = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

const ALL_SETTINGS = {
  ...{ auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', corsOrigins: 'https://app.example.com' },
  ...{ canary: 'on', customerManagedKey: 'on', alarmEmail: 'ops@example.com', tracing: 'on', events: 'on' },
  ...{ webhookUrl: 'https://crm.example.com/hook', backupDays: '35' },
};
const KNOWN_PLACE = { account: '111111111111', region: 'eu-west-1' };

const QUALIFIER = '@aws-cdk/core:bootstrapQualifier';

test.each<[string, Record<string, unknown>]>([
  ['with all settings', ALL_SETTINGS],
  ['with auth=none', { auth: 'none' }],
  ['with the console', { auth: 'none', console: 'on' }],
  ['with a bootstrap of another qualifier', { auth: 'none', console: 'on', [QUALIFIER]: 'team1' }],
  ['with a web function', { ...ALL_SETTINGS, subscriptions: 'web-function' }],
  ['in a known account and region', { ...ALL_SETTINGS, ...KNOWN_PLACE }],
  ['with the console in a known account and region', { auth: 'none', console: 'on', ...KNOWN_PLACE }],
  ['with a web function in a known region', { subscriptions: 'web-function', region: 'eu-west-1' }],
])('the AWS Solutions checks pass %s', (_, context) => {
  const { app } = createCheckedApp(context);
  expect(() => app.synth()).not.toThrow();
});

test.each(Object.entries(variants))('the AWS Solutions checks pass in the variant %s', (_, create) => {
  const app = create().node.root as App;
  addChecks(app);
  expect(() => app.synth()).not.toThrow();
});

const tokens = { issuer: 'https://issuer.example', audience: 'users' };

test.each<[string, (stack: Stack) => UserManagementProps]>([
  ['by default', () => ({})],
  [
    'with most props',
    (stack) => ({
      ...{ auth: tokens, encryptionKey: new Key(stack, 'key', { enableKeyRotation: true }) as IKey, canary: true },
      ...{ tracing: true, events: true, webhookUrl: 'https://crm.example.com/hook', backupDays: 35 },
      ...{ alarmEmail: 'ops@example.com', dashboard: true, outputs: true },
    }),
  ],
  ['with the console', () => ({ auth: 'none', console: true, siteLogs: true })],
  [
    'with a user pool where people register themselves',
    () => ({
      userPool: 'new',
      selfSignUp: ['http://localhost:3000/'],
      fields: { sub: { type: 'string', subject: true, self: 'hidden' } },
    }),
  ],
  ['with a web function', () => ({ auth: 'none', subscriptions: 'web-function' })],
])('a nested stack, whose name is a token, can be synthesized and passes the checks %s', (_, create) => {
  const app = new App();
  addChecks(app);
  const nested = new NestedStack(new Stack(app, 'Parent'), 'Nested');
  new UserManagement(nested, 'Users', completeProps(create(nested)));
  expect(() => app.synth()).not.toThrow();
});

test('a resource that violates a check fails the synthesis', () => {
  const { app, stack } = createCheckedApp({});
  new Queue(stack, 'bare');
  expect(() => app.synth()).toThrow('AwsSolutions-SQS4');
});
