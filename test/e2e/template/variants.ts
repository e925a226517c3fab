import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { UserManagementProps } from '../../../infra/construct/props.ts';
import { UserManagement } from '../../../infra/construct/user-management.ts';
import { unsupportedRegions } from '../../../infra/settings/regions.ts';
import { completeProps, createApp } from '../../infra/construct/synth.ts';

/** The longest name that the setting accepts: names derived from it must fit their limits. */
const stackName = 'S'.repeat(64);

const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };
const subject = { fields: { sub: { type: 'string', subject: true, self: 'hidden' } } };
const selfSignUp = { auth: 'cognito', selfSignUp: 'http://localhost:3000/', selfDelete: 'erase', ...subject };
const domain = {
  ...{ console: 'on', siteLogs: 'on', domainName: 'users.example.com' },
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012',
};
const backups = {
  backupDays: '35',
  backupCopyVaultArn: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:copies',
};
const webhook = { events: 'on', webhookUrl: 'https://crm.example.com/hook' };
const everything = {
  ...{ ...selfSignUp, ...domain, ...backups, ...webhook, canary: 'on', customerManagedKey: 'on', dashboard: 'on' },
  ...{
    tracing: 'on',
    alarmEmail: 'ops@example.com',
    runbookUrl: 'https://wiki.example.com/runbook',
    historyDays: '30',
  },
  ...{ selfLink: 'verified-email', emailFollows: 'on' },
  ...{ groups: 'on', maxGroups: '5', groupRoles: 'member,admin', groupClaim: 'org_id' },
  fields: { sub: { ...subject.fields.sub, groupAdmin: 'hidden' } },
  ...{ graphqlConcurrency: '50', concurrency: '1000', maxStreams: '20', corsOrigins: 'https://app.example.com' },
};

const fromSettings = (settings: Record<string, unknown>) => () => createApp({ stackName, ...settings }).stack;

const fromProps = (addTo: (stack: Stack) => Record<string, UserManagementProps>) => () => {
  const stack = new Stack(new App(), stackName);
  for (const [id, props] of Object.entries(addTo(stack))) new UserManagement(stack, id, completeProps(props));
  return stack;
};

// Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
const importVpc = (stack: Stack) =>
  Vpc.fromVpcAttributes(stack, 'Vpc', {
    vpcId: 'vpc-12345678',
    availabilityZones: ['eu-west-1a', 'eu-west-1b'],
    privateSubnetIds: ['subnet-11111111', 'subnet-22222222'],
  }) as IVpc;

/** Every check of templates runs on all of these. */
export const variants: Record<string, () => Stack> = {
  default: fromSettings({}),
  tokens: fromSettings({ ...tokens, corsOrigins: 'https://app.example.com' }),
  'new-pool': fromSettings({ auth: 'cognito' }),
  'existing-pool': fromSettings({ auth: 'cognito', userPoolId: 'eu-west-1_AbCdEfGhI', userPoolClient: 'on' }),
  'own-records': fromSettings(selfSignUp),
  'console-with-domain': fromSettings({ ...tokens, ...domain }),
  'events-with-webhook': fromSettings(webhook),
  'own-key': fromSettings({ ...webhook, ...backups, customerManagedKey: 'on', alarmEmail: 'ops@example.com' }),
  canary: fromSettings({ ...tokens, canary: 'on' }),
  'backups-with-copy': fromSettings(backups),
  'restored-table': fromSettings({
    restoredStream: 'arn:aws:dynamodb:eu-west-1:123456789012:table/restored/stream/2026-01-01T00:00:00.000',
  }),
  vpc: fromProps((stack) => ({ Users: { vpc: importVpc(stack), events: true } })),
  'two-in-one-stack': fromProps((stack) => ({
    Users: { events: true, dashboard: true, encryptionKey: new Key(stack, 'Key', { enableKeyRotation: true }) as IKey },
    Staff: { tableName: 'staff', userPool: 'new', events: true, dashboard: true },
  })),
  'web-function': fromSettings({ ...tokens, subscriptions: 'web-function', canary: 'on' }),
  everything: fromSettings(everything),
};

/** Writes `<variant>.json` for each variant. The code of functions is empty. */
async function synthesizeVariants(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, create] of Object.entries(variants))
    await writeFile(
      join(folder, `${name}.json`),
      JSON.stringify({ ...Template.fromStack(create()).toJSON(), Metadata: { unsupportedRegions } }),
    );
}

const [folder] = process.argv.slice(2);
if (import.meta.main && folder) await synthesizeVariants(folder);
