import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Account, createFirstPoints, createPoints } from '../../../infra/preflight/points.ts';
import { AwsError } from '../../../infra/scripts/aws-cli.ts';
import { checkPoint, formatFinding } from '../../../infra/scripts/points.ts';
import { readSettings } from '../../../infra/settings/settings.ts';

const ISSUER = 'https://id.example.com/';
const CERTIFICATE = 'arn:aws:acm:us-east-1:111111111111:certificate/0a1b';
const VAULT = 'arn:aws:backup:eu-central-1:222222222222:backup-vault:users-copies';
const NOW = Date.parse('2026-11-28T12:00:00Z');

/** Answers by command of the AWS CLI, in the shapes of its service models. An error is thrown. */
type Answers = Record<string, object>;

const denied = (action: string) =>
  new AwsError(
    'AccessDeniedException',
    `User: arn:aws:iam::111111111111:user/ada is not authorized to perform: ${action} on resource: *`,
  );
const absent = new AwsError('ValidationError', 'Stack with id UserManagement does not exist');
const noTable = new AwsError('ResourceNotFoundException', 'Requested resource not found: Table: users not found');

const limit = (ConcurrentExecutions: number, UnreservedConcurrentExecutions = ConcurrentExecutions) => ({
  AccountLimit: {
    TotalCodeSize: 80530636800,
    CodeSizeUnzipped: 262144000,
    CodeSizeZipped: 52428800,
    ConcurrentExecutions,
    UnreservedConcurrentExecutions,
  },
  AccountUsage: { TotalCodeSize: 0, FunctionCount: 0 },
});
const stack = (StackStatus: string) => ({ Stacks: [{ StackName: 'UserManagement', StackStatus, Outputs: [] }] });
const owner = (StackName: string) => ({ StackResources: [{ StackName, ResourceStatus: 'CREATE_COMPLETE' }] });
const parameter = (Value: string) => ({
  Parameter: { Name: '/cdk-bootstrap/hnb659fds/version', Type: 'String', Value, Version: 1, DataType: 'text' },
});
const certificate = (Status: string, DomainName: string) => ({
  Certificate: { CertificateArn: CERTIFICATE, DomainName, SubjectAlternativeNames: [DomainName], Status },
});
const pool = (UserPoolTier: string, members: object = {}) => ({
  UserPool: { Id: 'eu-west-1_AbC', Name: 'people', LambdaConfig: {}, UserPoolTier, ...members },
});
const regionSettings = (isBackedUp: boolean, isManaged: boolean) => ({
  ResourceTypeOptInPreference: { DynamoDB: isBackedUp, EFS: true },
  ResourceTypeManagementPreference: { DynamoDB: isManaged, EFS: true },
});
const distributions = (...domains: string[]) => ({
  DistributionList: {
    Marker: '',
    MaxItems: 100,
    IsTruncated: false,
    Quantity: 1,
    Items: [
      { Id: 'E1', Aliases: { Quantity: domains.length, Items: domains } },
      { Id: 'E2', Aliases: { Quantity: 0 } },
    ],
  },
});
const users = {
  Table: {
    TableName: 'UserManagement-users',
    TableStatus: 'ACTIVE',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [{ IndexName: 'directory', IndexStatus: 'ACTIVE' }],
    LatestStreamArn: 'arn:aws:dynamodb:eu-west-1:111111111111:table/UserManagement-users/stream/2026-11-01',
  },
};

/** An account in which a deploy succeeds. */
const healthy: Answers = {
  'sts get-caller-identity': {
    UserId: 'AIDA',
    Account: '111111111111',
    Arn: 'arn:aws:iam::111111111111:user/ada',
  },
  'cloudformation describe-stacks': absent,
  'cloudformation describe-stack-resources': absent,
  'cloudformation describe-type': { Type: 'RESOURCE', ProvisioningType: 'FULLY_MUTABLE', Visibility: 'PUBLIC' },
  'ssm get-parameter': parameter('31'),
  'dynamodb describe-table': noTable,
  'lambda get-account-settings': limit(1000),
  'service-quotas get-service-quota': { Quota: { QuotaCode: 'L-8A5B8E43', Value: 10000, Adjustable: true } },
  'iam get-account-summary': { SummaryMap: { Roles: 12, RolesQuota: 1000 } },
  'cognito-idp describe-user-pool': pool('ESSENTIALS', { Domain: 'company' }),
  'cognito-idp describe-user-pool-client': { UserPoolClient: { ClientId: 'client' } },
  'acm describe-certificate': certificate('ISSUED', 'users.example.com'),
  'cloudfront list-distributions': distributions('other.example.com'),
  'backup describe-region-settings': regionSettings(true, true),
  'backup describe-backup-vault': { BackupVaultName: 'users-copies', VaultState: 'AVAILABLE', Locked: false },
};

const discovery = (members: object = {}) => ({
  issuer: ISSUER,
  jwks_uri: 'https://id.example.com/keys',
  token_endpoint: 'https://id.example.com/token',
  scopes_supported: ['openid', 'users:read', 'users:write'],
  ...members,
});
const keys = (...kinds: string[]) => ({ keys: kinds.map((kty) => ({ kty, use: 'sig', kid: kty })) });

const everything = {
  auth: 'jwt',
  issuer: ISSUER,
  audience: 'users',
  concurrency: 1000,
  graphqlConcurrency: 500,
  events: true,
  canary: true,
  domainName: 'users.example.com',
  certificateArn: CERTIFICATE,
  backupDays: 30,
  backupCopyVaultArn: VAULT,
  alarmEmail: 'ops@example.com',
};
const withPool = {
  auth: 'cognito',
  userPoolId: 'eu-west-1_AbC',
  audience: 'client',
  graphqlConcurrency: 500,
  concurrency: 1000,
};
const own = { fields: { subject: { type: 'string', subject: true, self: 'hidden' } } };

type Given = {
  settings?: object;
  answers?: Answers;
  documents?: Record<string, unknown>;
  skewSeconds?: number;
  region?: string;
  domain?: string;
};

async function look(given: Given) {
  const { settings = everything, answers = {}, documents = {}, skewSeconds = 0 } = given;
  const { region = 'eu-west-1', domain = 'amazonaws.com' } = given;
  const all = { ...healthy, ...answers };
  const served: Record<string, unknown> = {
    [`${ISSUER}.well-known/openid-configuration`]: discovery(),
    'https://id.example.com/keys': keys('RSA'),
    ...documents,
  };
  const commands: string[] = [];
  const account: Account = {
    settings: readSettings({ ...settings }),
    region,
    qualifier: 'hnb659fds',
    now: () => NOW + skewSeconds * 1_000,
    aws: async <Answer>(...args: string[]) => {
      commands.push(args.join(' '));
      // A type's own answer comes first.
      const answer = all[args.join(' ')] ?? all[`${args[0]} ${args[1]} ${args[5]}`] ?? all[`${args[0]} ${args[1]}`];
      if (answer instanceof Error) throw answer;
      if (!answer) throw new Error(`No answer for ${args.join(' ')}`);
      return answer as Answer;
    },
    fetch: async (url) => {
      if (url === `https://sts.${region}.${domain}/`)
        return new Response(null, { headers: { date: new Date(NOW).toUTCString() } });
      const document = served[String(url)];
      if (!document) throw new TypeError('fetch failed');
      return Response.json(document);
    },
  };
  const findings = await Promise.all([...createFirstPoints(account), ...createPoints(account)].map(checkPoint));
  return { findings, commands, lines: findings.map(formatFinding) };
}

test('every point of a healthy account is fine, and every command only reads', async () => {
  const { lines, commands } = await look({});
  expect(lines).toEqual([
    'ok    clock: 0 s from AWS',
    'ok    account: arn:aws:iam::111111111111:user/ada, region eu-west-1',
    'ok    stack: UserManagement is new',
    'ok    bootstrap: version 31',
    'ok    region: eu-west-1 has all 7 services that only some regions have',
    'ok    table: the name UserManagement-users is free',
    'ok    concurrency: the quota is 1000, 1000 unreserved',
    "ok    throttling: throttleRate 500 of the account's 10000 requests a second",
    'ok    roles: 12 of 1000',
    'ok    issuer: https://id.example.com/ and its keys; access tokens need the audience users',
    'ok    certificate: issued, in us-east-1',
    'ok    domain: no distribution of this account has users.example.com; other accounts cannot be checked',
    'ok    backups: AWS Backup backs up DynamoDB',
    'ok    copies: the vault users-copies in eu-central-1 exists; its access policy must allow copies',
    'ok    alarms: AWS asks ops@example.com to confirm after the deploy',
  ]);
  expect(commands.filter((command) => !/^[\w-]+ (get|describe|list)-/.test(command))).toEqual([]);
  expect((await look({ settings: withPool })).lines).toContain('ok    user pool: eu-west-1_AbC, plan ESSENTIALS');
});

test.each<[line: string, Given]>([
  ['FAILS clock: this clock differs by 300 s', { skewSeconds: -300 }],
  ['FAILS account: AWS rejects', { answers: { 'sts get-caller-identity': new AwsError('InvalidClientTokenId', '') } }],
  ['FAILS account: the credentials belong to 111111111111', { settings: { account: '222222222222' } }],
  ['FAILS stack: the first deploy', { answers: { 'cloudformation describe-stacks': stack('ROLLBACK_COMPLETE') } }],
  [
    'FAILS stack: UserManagement is UPDATE_IN_PROGRESS. Wait',
    { answers: { 'cloudformation describe-stacks': stack('UPDATE_IN_PROGRESS') } },
  ],
  [
    'FAILS stack: UserManagement is ROLLBACK_FAILED',
    { answers: { 'cloudformation describe-stacks': stack('ROLLBACK_FAILED') } },
  ],
  [
    'ok    stack: UserManagement exists (UPDATE_COMPLETE)',
    { answers: { 'cloudformation describe-stacks': stack('UPDATE_COMPLETE') } },
  ],
  [
    'ok    stack: UserManagement is new',
    { answers: { 'cloudformation describe-stacks': stack('REVIEW_IN_PROGRESS') } },
  ],
  [
    'FAILS bootstrap: /cdk-bootstrap/hnb659fds/version is missing in eu-west-1. Run npx cdk bootstrap',
    { answers: { 'ssm get-parameter': new AwsError('ParameterNotFound', '') } },
  ],
  ['FAILS bootstrap: version 5 is older than 6', { answers: { 'ssm get-parameter': parameter('5') } }],
  [
    'FAILS region: CloudFormation lacks AWS::Lambda::WebFunction in eu-west-1',
    {
      settings: { subscriptions: 'web-function' },
      answers: { 'cloudformation describe-type AWS::Lambda::WebFunction': new AwsError('TypeNotFoundException', '') },
    },
  ],
  [
    'FAILS region: CloudFormation lacks AWS::EventSchemas::Schema',
    {
      settings: { webhookUrl: 'https://example.com/' },
      answers: { 'cloudformation describe-type AWS::EventSchemas::Schema': new AwsError('TypeNotFoundException', '') },
    },
  ],
  [
    'note  table: UserManagement-users exists. Take it over: npm run deploy -- --import-existing-resources',
    { answers: { 'dynamodb describe-table': users } },
  ],
  [
    'ok    table: UserManagement-users belongs to the stack',
    {
      answers: { 'dynamodb describe-table': users, 'cloudformation describe-stack-resources': owner('UserManagement') },
    },
  ],
  [
    'FAILS table: UserManagement-users belongs to the stack Other',
    { answers: { 'dynamodb describe-table': users, 'cloudformation describe-stack-resources': owner('Other') } },
  ],
  [
    'FAILS table: UserManagement-users is a table of something else',
    { answers: { 'dynamodb describe-table': { Table: { ...users.Table, GlobalSecondaryIndexes: undefined } } } },
  ],
  [
    'ok    table: UserManagement-users is restored',
    { settings: { restoredStream: users.Table.LatestStreamArn }, answers: { 'dynamodb describe-table': users } },
  ],
  [
    'FAILS table: the table UserManagement-users of restoredStream does not exist',
    { settings: { restoredStream: users.Table.LatestStreamArn } },
  ],
  [
    'FAILS table: the stream of UserManagement-users is',
    { settings: { restoredStream: `${users.Table.LatestStreamArn}9` }, answers: { 'dynamodb describe-table': users } },
  ],
  [
    'FAILS concurrency: graphqlConcurrency reserves 500 executions, but the account can reserve 0 of its 10. Raise the quota, or set unlimited',
    { answers: { 'lambda get-account-settings': limit(10) } },
  ],
  [
    'FAILS concurrency: graphqlConcurrency reserves 500 executions, but the account can reserve 300 of its 1000. Raise the quota, or set at most 300',
    { answers: { 'lambda get-account-settings': limit(1000, 400) } },
  ],
  [
    'ok    concurrency: the quota is 1000, 400 unreserved',
    {
      answers: {
        'lambda get-account-settings': limit(1000, 400),
        'cloudformation describe-stacks': stack('CREATE_COMPLETE'),
      },
    },
  ],
  [
    'note  concurrency: the quota is 1000, but the setting concurrency is 10. Set concurrency to 1000',
    { settings: {} },
  ],
  [
    'note  concurrency: Only 0 of 10 concurrent executions remain',
    { settings: { webhookUrl: 'https://example.com/' }, answers: { 'lambda get-account-settings': limit(10) } },
  ],
  [
    'note  throttling: throttleRate is 500, but API Gateway allows the account 250',
    { answers: { 'service-quotas get-service-quota': { Quota: { Value: 250 } } } },
  ],
  [
    "ok    throttling: throttleRate 500 of the account's 2500",
    {
      answers: {
        'service-quotas get-service-quota': new AwsError('NoSuchResourceException', ''),
        'service-quotas get-aws-default-service-quota': { Quota: { Value: 2500 } },
      },
    },
  ],
  [
    'FAILS roles: the account has 990 of 1000 roles',
    { answers: { 'iam get-account-summary': { SummaryMap: { Roles: 990, RolesQuota: 1000 } } } },
  ],
  [
    'FAILS issuer: https://id.example.com/.well-known/openid-configuration does not answer',
    { documents: { [`${ISSUER}.well-known/openid-configuration`]: undefined } },
  ],
  [
    'FAILS issuer: https://id.example.com/.well-known/openid-configuration names the issuer https://id.example.com. Set issuer to it',
    { documents: { [`${ISSUER}.well-known/openid-configuration`]: discovery({ issuer: 'https://id.example.com' }) } },
  ],
  [
    'FAILS issuer: https://id.example.com/keys does not answer with keys',
    { documents: { 'https://id.example.com/keys': undefined } },
  ],
  [
    'FAILS issuer: https://id.example.com/keys has no RSA key',
    { documents: { 'https://id.example.com/keys': keys('EC') } },
  ],
  [
    'FAILS issuer: the console gets tokens from https://token.example.com. Set consoleTokenOrigin',
    {
      settings: { ...everything, console: true, consoleClientId: 'console' },
      documents: {
        [`${ISSUER}.well-known/openid-configuration`]: discovery({ token_endpoint: 'https://token.example.com/token' }),
      },
    },
  ],
  [
    'note  issuer: the provider does not list the scopes users:write',
    {
      documents: {
        [`${ISSUER}.well-known/openid-configuration`]: discovery({ scopes_supported: ['openid', 'users:read'] }),
      },
    },
  ],
  [
    'FAILS user pool: eu-west-1_AbC does not exist in eu-west-1',
    {
      settings: withPool,
      answers: { 'cognito-idp describe-user-pool': new AwsError('ResourceNotFoundException', '') },
    },
  ],
  [
    'FAILS user pool: eu-west-1_AbC has no client client',
    {
      settings: withPool,
      answers: { 'cognito-idp describe-user-pool-client': new AwsError('ResourceNotFoundException', '') },
    },
  ],
  [
    'FAILS user pool: own records need claims in access tokens. Change the feature plan',
    { settings: { ...withPool, ...own }, answers: { 'cognito-idp describe-user-pool': pool('LITE') } },
  ],
  [
    'ok    user pool: eu-west-1_AbC, plan LITE',
    { settings: withPool, answers: { 'cognito-idp describe-user-pool': pool('LITE') } },
  ],
  [
    'FAILS user pool: eu-west-1_AbC has no domain',
    { settings: { ...withPool, console: true }, answers: { 'cognito-idp describe-user-pool': pool('PLUS') } },
  ],
  ['FAILS user pool: the console needs consoleTokenOrigin', { settings: { ...withPool, console: true } }],
  ['FAILS certificate: certificateArn is missing', { settings: { domainName: 'users.example.com' } }],
  [
    'FAILS certificate: the certificate does not exist',
    { answers: { 'acm describe-certificate': new AwsError('ResourceNotFoundException', '') } },
  ],
  [
    'FAILS certificate: the certificate is PENDING_VALIDATION',
    { answers: { 'acm describe-certificate': certificate('PENDING_VALIDATION', 'users.example.com') } },
  ],
  [
    'FAILS certificate: the certificate is for example.com, example.com, not for users.example.com',
    { answers: { 'acm describe-certificate': certificate('ISSUED', 'example.com') } },
  ],
  ['ok    certificate: issued', { answers: { 'acm describe-certificate': certificate('ISSUED', '*.example.com') } }],
  [
    'FAILS domain: the distribution E1 has users.example.com',
    { answers: { 'cloudfront list-distributions': distributions('users.example.com') } },
  ],
  [
    'ok    domain: users.example.com belongs to the stack',
    {
      answers: {
        'cloudfront list-distributions': distributions('users.example.com'),
        'cloudformation describe-stack-resources': owner('UserManagement'),
      },
    },
  ],
  [
    'FAILS backups: AWS Backup does not back up DynamoDB in eu-west-1. Run aws backup update-region-settings --resource-type-opt-in-preference DynamoDB=true',
    { answers: { 'backup describe-region-settings': regionSettings(false, true) } },
  ],
  [
    'FAILS backups: copies need the advanced features for DynamoDB. Run aws backup update-region-settings --resource-type-management-preference DynamoDB=true',
    { answers: { 'backup describe-region-settings': regionSettings(true, false) } },
  ],
  [
    'FAILS copies: the vault users-copies does not exist in eu-central-1',
    { answers: { 'backup describe-backup-vault': new AwsError('ResourceNotFoundException', '') } },
  ],
  [
    'FAILS copies: the vault keeps copies 60 to 90 days, but backupDays is 30',
    { answers: { 'backup describe-backup-vault': { Locked: true, MinRetentionDays: 60, MaxRetentionDays: 90 } } },
  ],
  ['note  alarms: nobody receives the alarms of UserManagement', { settings: {} }],
  [
    '?     bootstrap: not checked, because the right ssm:GetParameter is missing: see access.md',
    { answers: { 'ssm get-parameter': denied('ssm:GetParameter') } },
  ],
])('%s', async (line, given) => {
  const { lines } = await look(given);
  expect(lines).toContainEqual(expect.stringContaining(line));
});

test('a certificate is read in us-east-1, and a vault in its own region and account', async () => {
  const { commands } = await look({});
  expect(commands).toContain(`acm describe-certificate --certificate-arn ${CERTIFICATE} --region us-east-1`);
  expect(commands).toContain(
    'backup describe-backup-vault --backup-vault-name users-copies --backup-vault-account-id 222222222222 --region eu-central-1',
  );
});

test.each([
  ['eusc-de-east-1', 'amazonaws.eu'],
  ['cn-north-1', 'amazonaws.com.cn'],
])('the clock in %s is compared with AWS in the domain %s', async (region, domain) => {
  const { lines } = await look({ region, domain });
  expect(lines[0]).toBe('ok    clock: 0 s from AWS');
});

test('access.md lists the rights of all commands', async () => {
  const policies = [...readFileSync('infra/access.md', 'utf8').matchAll(/```json\n(.*?)```/gs)].map(
    ([, json = '']) => json,
  );
  const listed: string[] = JSON.parse(policies.find((json) => json.includes('ssm:')) ?? '').Statement[0].Action;
  const withoutQuota = { 'service-quotas get-service-quota': new AwsError('NoSuchResourceException', '') };
  const used = await Promise.all([
    look({ answers: { ...withoutQuota, 'dynamodb describe-table': users } }),
    look({ settings: withPool }),
  ]);
  const actions = used.flatMap(({ commands }) => commands.map(formatAction));
  // Every identity may name itself.
  expect(listed.map((action) => action.toLowerCase()).toSorted()).toEqual(
    [...new Set(actions)].filter((action) => action !== 'sts:getcalleridentity').toSorted(),
  );
});

function formatAction(command: string): string {
  const [service = '', operation = ''] = command.split(' ');
  return `${service === 'service-quotas' ? 'servicequotas' : service}:${operation.replaceAll('-', '')}`;
}
