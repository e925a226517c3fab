import { tableSchema } from '../../lib/dynamodb/keys.ts';
import { describeShortage, getDefaultStreams, UNRESERVED_EXECUTIONS } from '../construct/concurrency.ts';
import { findSubject } from '../own-fields/rules.ts';
import { AwsError } from '../scripts/aws-cli.ts';
import { type Finding, fails, fine, note, type Point } from '../scripts/points.ts';
import type { Settings } from '../settings/settings.ts';
import { checkIssuer } from './issuer.ts';

export type Account = {
  settings: Settings;
  region: string;
  /** The qualifier of `cdk bootstrap`. */
  qualifier: string;
  /** Runs a command of the AWS CLI. */
  aws: <Answer>(...args: string[]) => Promise<Answer>;
  fetch: typeof fetch;
  now: () => number;
};

/** The other points need these two. */
export const createFirstPoints = (account: Account): Point[] => [
  { name: 'clock', check: () => checkClock(account) },
  { name: 'account', check: () => checkCredentials(account) },
];

export function createPoints(account: Account): Point[] {
  const { auth, userPoolId, domainName, backupDays, backupCopyVaultArn } = account.settings;
  return [
    { name: 'stack', check: () => checkStack(account) },
    { name: 'bootstrap', check: () => checkBootstrap(account) },
    { name: 'region', check: () => checkRegion(account) },
    { name: 'table', check: () => checkTable(account) },
    { name: 'concurrency', check: () => checkConcurrency(account) },
    { name: 'throttling', check: () => checkThrottling(account) },
    { name: 'roles', check: () => checkRoles(account) },
    ...(auth === 'jwt' ? [{ name: 'issuer', check: () => checkIssuer(account.settings, account.fetch) }] : []),
    ...(userPoolId ? [{ name: 'user pool', check: () => checkUserPool(account, userPoolId) }] : []),
    ...(domainName
      ? [
          { name: 'certificate', check: () => checkCertificate(account, domainName) },
          { name: 'domain', check: () => checkDomain(account, domainName) },
        ]
      : []),
    ...(backupDays ? [{ name: 'backups', check: () => checkBackups(account) }] : []),
    ...(backupDays && backupCopyVaultArn
      ? [{ name: 'copies', check: () => checkCopies(account, backupDays, backupCopyVaultArn) }]
      : []),
    { name: 'alarms', check: async () => checkAlarmAddress(account.settings) },
  ];
}

/** Returns undefined if the request fails with the given code. */
const unless = <Answer>(code: string, answer: Promise<Answer>): Promise<Answer | undefined> =>
  answer.catch((error: Error) => {
    if (error instanceof AwsError && error.code === code) return undefined;
    throw error;
  });

const ask = <Answer>({ aws, region }: Account, ...args: string[]) => aws<Answer>(...args, '--region', region);

/** By the first part of a region's name: https://docs.aws.amazon.com/general/latest/gr/rande.html */
const DOMAINS: Record<string, string> = { cn: 'amazonaws.com.cn', eusc: 'amazonaws.eu' };

/** AWS rejects signatures that are five minutes old. */
const MAX_SKEW_SECONDS = 240;

async function checkClock({ fetch, now, region }: Account): Promise<Finding> {
  const domain = DOMAINS[region.split('-')[0] ?? ''] ?? 'amazonaws.com';
  // The variable replaces the endpoints of all services, as in the AWS CLI.
  const url = process.env.AWS_ENDPOINT_URL || `https://sts.${region}.${domain}/`;
  const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual' });
  const seconds = Math.round(Math.abs(now() - Date.parse(headers.get('date') ?? '')) / 1_000);
  if (Number.isNaN(seconds)) throw new Error('AWS sent no time');
  return seconds > MAX_SKEW_SECONDS
    ? fails(`this clock differs by ${seconds} s from AWS, which rejects such signatures. Synchronize it`)
    : fine(`${seconds} s from AWS`);
}

async function checkCredentials(account: Account): Promise<Finding> {
  const { settings, region } = account;
  const answer = await unless(
    'InvalidClientTokenId',
    ask<{ Account: string; Arn: string }>(account, 'sts', 'get-caller-identity'),
  );
  if (!answer) return fails(`AWS rejects the credentials. Renew them, and enable the region ${region} in the account`);
  if (settings.account && settings.account !== answer.Account)
    return fails(
      `the credentials belong to ${answer.Account}, but the setting account is ${settings.account}. Set AWS_PROFILE`,
    );
  return fine(`${answer.Arn}, region ${region}`);
}

type Stacks = { Stacks: { StackStatus: string }[] };

/** Returns undefined if the stack does not exist. */
async function findStackStatus(account: Account): Promise<string | undefined> {
  const { stackName } = account.settings;
  const describe = ask<Stacks>(account, 'cloudformation', 'describe-stacks', '--stack-name', stackName);
  const status = (await unless('ValidationError', describe))?.Stacks[0]?.StackStatus;
  return status === 'REVIEW_IN_PROGRESS' ? undefined : status;
}

async function checkStack(account: Account): Promise<Finding> {
  const { stackName } = account.settings;
  const status = await findStackStatus(account);
  if (!status) return fine(`${stackName} is new`);
  if (status === 'ROLLBACK_COMPLETE')
    return fails(
      `the first deploy of ${stackName} failed. Turn off its protection: aws cloudformation update-termination-protection --stack-name ${stackName} --no-enable-termination-protection`,
    );
  if (status.endsWith('_IN_PROGRESS')) return fails(`${stackName} is ${status}. Wait until it ends`);
  if (status.endsWith('_FAILED')) return fails(`${stackName} is ${status}. Repair or delete it in CloudFormation`);
  return fine(`${stackName} exists (${status}), so this is an update`);
}

/** Of aws-cdk-lib's DefaultStackSynthesizer. */
const MIN_BOOTSTRAP_VERSION = 6;

async function checkBootstrap(account: Account): Promise<Finding> {
  const name = `/cdk-bootstrap/${account.qualifier}/version`;
  const parameter = await unless(
    'ParameterNotFound',
    ask<{ Parameter: { Value: string } }>(account, 'ssm', 'get-parameter', '--name', name),
  );
  if (!parameter) return fails(`${name} is missing in ${account.region}. Run npx cdk bootstrap`);
  const { Value } = parameter.Parameter;
  return Number(Value) >= MIN_BOOTSTRAP_VERSION
    ? fine(`version ${Value}`)
    : fails(`version ${Value} is older than ${MIN_BOOTSTRAP_VERSION}. Run npx cdk bootstrap`);
}

/** Types that some regions lack, or that only some settings need. */
function listTypes({ subscriptions, events, webhookUrl, auth, backupDays, canary, console, domainName }: Settings) {
  const needed: Record<string, unknown> = {
    'AWS::ApiGatewayV2::Api': true,
    'AWS::DynamoDB::GlobalTable': true,
    'AWS::Lambda::Url': subscriptions === 'function-url',
    'AWS::Lambda::WebFunction': subscriptions === 'web-function',
    'AWS::EventSchemas::Schema': events || webhookUrl,
    'AWS::Cognito::UserPool': auth === 'cognito',
    'AWS::Backup::BackupPlan': backupDays,
    'AWS::CodeDeploy::DeploymentGroup': canary,
    'AWS::CloudFront::Distribution': console || domainName,
  };
  return Object.keys(needed).filter((type) => needed[type]);
}

async function checkRegion(account: Account): Promise<Finding> {
  const types = listTypes(account.settings);
  const describe = (type: string) =>
    ask(account, 'cloudformation', 'describe-type', '--type', 'RESOURCE', '--type-name', type);
  const found = await Promise.all(types.map((type) => unless('TypeNotFoundException', describe(type))));
  const missing = types.filter((_, at) => !found[at]);
  return missing.length > 0
    ? fails(
        `CloudFormation lacks ${missing.join(', ')} in ${account.region}. Choose another region, or change the setting`,
      )
    : fine(`${account.region} has all ${types.length} services that only some regions have`);
}

type Table = {
  KeySchema: { AttributeName: string; KeyType: string }[];
  GlobalSecondaryIndexes?: { IndexName: string }[];
  LatestStreamArn?: string;
};

async function findTable(account: Account, name: string): Promise<Table | undefined> {
  const describe = ask<{ Table: Table }>(account, 'dynamodb', 'describe-table', '--table-name', name);
  return (await unless('ResourceNotFoundException', describe))?.Table;
}

/** Returns the name of the stack that a resource belongs to. */
async function findOwner(account: Account, physicalId: string): Promise<string | undefined> {
  const describe = ['cloudformation', 'describe-stack-resources', '--physical-resource-id', physicalId];
  const resources = ask<{ StackResources: { StackName: string }[] }>(account, ...describe);
  return (await unless('ValidationError', resources))?.StackResources[0]?.StackName;
}

async function checkTable(account: Account): Promise<Finding> {
  const { stackName, tableName = `${stackName}-users`, restoredStream } = account.settings;
  if (restoredStream) return checkRestoredTable(account, restoredStream);
  const table = await findTable(account, tableName);
  if (!table) return fine(`the name ${tableName} is free`);
  const owner = await findOwner(account, tableName);
  if (owner === stackName) return fine(`${tableName} belongs to the stack`);
  if (owner) return fails(`${tableName} belongs to the stack ${owner}. Set another tableName`);
  const keys = table.KeySchema.map(({ AttributeName }) => AttributeName).join();
  const hasIndex = table.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === tableSchema.index.name);
  if (keys !== [tableSchema.partitionKey, tableSchema.sortKey].join() || !hasIndex || !table.LatestStreamArn)
    return fails(`${tableName} is a table of something else. Set another tableName`);
  return note(
    `${tableName} exists. Take it over: npm run deploy -- --import-existing-resources. Or delete it, or set another tableName`,
  );
}

async function checkRestoredTable(account: Account, stream: string): Promise<Finding> {
  const [, name = ''] = /:table\/([^/]+)\//.exec(stream) ?? [];
  const table = await findTable(account, name);
  if (!table) return fails(`the table ${name} of restoredStream does not exist`);
  return table.LatestStreamArn === stream
    ? fine(`${name} is restored, with its stream`)
    : fails(`the stream of ${name} is ${table.LatestStreamArn}, not restoredStream`);
}

type AccountSettings = { AccountLimit: { ConcurrentExecutions: number; UnreservedConcurrentExecutions: number } };

async function checkConcurrency(account: Account): Promise<Finding> {
  const { settings } = account;
  const { concurrency, graphqlConcurrency, subscriptions } = settings;
  const [{ AccountLimit }, status] = await Promise.all([
    ask<AccountSettings>(account, 'lambda', 'get-account-settings'),
    findStackStatus(account),
  ]);
  const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } = AccountLimit;
  const isReserved = subscriptions !== 'web-function' && typeof graphqlConcurrency === 'number';
  // An existing stack may already have reserved its part.
  const room = (status ? quota : unreserved) - UNRESERVED_EXECUTIONS;
  if (isReserved && graphqlConcurrency > room)
    return fails(
      `graphqlConcurrency reserves ${graphqlConcurrency} executions, but the account can reserve ${Math.max(0, room)} of its ${quota}. Raise the quota, or set ${room > 0 ? `at most ${room}` : 'unlimited'}`,
    );
  if (concurrency !== quota)
    return note(`the quota is ${quota}, but the setting concurrency is ${concurrency}. Set concurrency to ${quota}`);
  const events = settings.events || settings.webhookUrl !== undefined;
  const { maxStreams = getDefaultStreams({ ...settings, events }) } = settings;
  const shortage = describeShortage({ ...settings, events, maxStreams });
  return shortage ? note(shortage) : fine(`the quota is ${quota}, ${unreserved} unreserved`);
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
const THROTTLE_QUOTA = 'L-8A5B8E43';

async function checkThrottling(account: Account): Promise<Finding> {
  const { throttleRate } = account.settings;
  const quota = ['--service-code', 'apigateway', '--quota-code', THROTTLE_QUOTA];
  const request = (operation: string) =>
    ask<{ Quota: { Value: number } }>(account, 'service-quotas', operation, ...quota);
  // An account without a raised quota may have only the default.
  const applied = await unless('NoSuchResourceException', request('get-service-quota'));
  const { Value } = (applied ?? (await request('get-aws-default-service-quota'))).Quota;
  return throttleRate > Value
    ? note(`throttleRate is ${throttleRate}, but API Gateway allows the account ${Value} requests a second`)
    : fine(`throttleRate ${throttleRate} of the account's ${Value} requests a second`);
}

/** More than any variant needs. */
const ROLES = 40;

async function checkRoles(account: Account): Promise<Finding> {
  type Summary = { SummaryMap: { Roles: number; RolesQuota: number } };
  const { Roles, RolesQuota } = (await account.aws<Summary>('iam', 'get-account-summary')).SummaryMap;
  return RolesQuota - Roles < ROLES
    ? fails(`the account has ${Roles} of ${RolesQuota} roles; a stack needs up to ${ROLES}. Raise the quota of IAM`)
    : fine(`${Roles} of ${RolesQuota}`);
}

type UserPool = { UserPool: { UserPoolTier?: string; Domain?: string; CustomDomain?: string } };

async function checkUserPool(account: Account, id: string): Promise<Finding> {
  const { audience, console, consoleTokenOrigin, fields } = account.settings;
  const inPool = ['--user-pool-id', id];
  const answer = await unless(
    'ResourceNotFoundException',
    ask<UserPool>(account, 'cognito-idp', 'describe-user-pool', ...inPool),
  );
  if (!answer) return fails(`${id} does not exist in ${account.region}. Correct userPoolId`);
  const clients = await Promise.all(
    audience.map((client) =>
      unless(
        'ResourceNotFoundException',
        ask(account, 'cognito-idp', 'describe-user-pool-client', ...inPool, '--client-id', client),
      ),
    ),
  );
  const unknown = audience.filter((_, at) => !clients[at]);
  if (unknown.length > 0) return fails(`${id} has no client ${unknown.join(', ')}. Correct audience`);
  const { UserPoolTier, Domain, CustomDomain } = answer.UserPool;
  if (findSubject(fields) !== undefined && UserPoolTier === 'LITE')
    return fails('own records need claims in access tokens. Change the feature plan from Lite to Essentials');
  if (console && !Domain && !CustomDomain) return fails(`${id} has no domain for its sign-in pages. Add one`);
  if (console && !consoleTokenOrigin)
    return fails("the console needs consoleTokenOrigin, the origin of the pool's domain");
  return fine(`${id}, plan ${UserPoolTier}`);
}

type Certificate = { Certificate: { Status: string; DomainName: string; SubjectAlternativeNames?: string[] } };

async function checkCertificate({ aws, settings }: Account, domainName: string): Promise<Finding> {
  const { certificateArn } = settings;
  if (!certificateArn) return fails('certificateArn is missing. Request a certificate in us-east-1');
  // CloudFront reads certificates only there.
  const place = ['--certificate-arn', certificateArn, '--region', 'us-east-1'];
  const answer = await unless('ResourceNotFoundException', aws<Certificate>('acm', 'describe-certificate', ...place));
  if (!answer) return fails('the certificate does not exist in this account. Correct certificateArn');
  const { Status, DomainName, SubjectAlternativeNames = [] } = answer.Certificate;
  if (Status !== 'ISSUED')
    return fails(`the certificate is ${Status}. Create its DNS record, and wait until it is issued`);
  const names = [DomainName, ...SubjectAlternativeNames];
  return names.some((name) => name === domainName || name === domainName.replace(/^[^.]+/, '*'))
    ? fine('issued, in us-east-1')
    : fails(`the certificate is for ${names.join(', ')}, not for ${domainName}`);
}

type Distributions = { DistributionList: { Items?: { Id: string; Aliases: { Items?: string[] } }[] } };

async function checkDomain(account: Account, domainName: string): Promise<Finding> {
  const { DistributionList } = await account.aws<Distributions>('cloudfront', 'list-distributions');
  const taken = DistributionList.Items?.find(({ Aliases }) => Aliases.Items?.includes(domainName));
  if (!taken) return fine(`no distribution of this account has ${domainName}; other accounts cannot be checked`);
  return (await findOwner(account, taken.Id)) === account.settings.stackName
    ? fine(`${domainName} belongs to the stack`)
    : fails(`the distribution ${taken.Id} has ${domainName}. Remove it there first`);
}

type RegionSettings = Record<
  'ResourceTypeOptInPreference' | 'ResourceTypeManagementPreference',
  Record<string, boolean>
>;

async function checkBackups(account: Account): Promise<Finding> {
  const settings = await ask<RegionSettings>(account, 'backup', 'describe-region-settings');
  const command = (option: string) => `aws backup update-region-settings --${option} DynamoDB=true`;
  if (!settings.ResourceTypeOptInPreference.DynamoDB)
    return fails(
      `AWS Backup does not back up DynamoDB in ${account.region}. Run ${command('resource-type-opt-in-preference')}`,
    );
  if (account.settings.backupCopyVaultArn && !settings.ResourceTypeManagementPreference.DynamoDB)
    return fails(
      `copies need the advanced features for DynamoDB. Run ${command('resource-type-management-preference')}`,
    );
  return fine('AWS Backup backs up DynamoDB');
}

type Vault = { Locked?: boolean; MinRetentionDays?: number; MaxRetentionDays?: number };

async function checkCopies({ aws, settings }: Account, backupDays: number, arn: string): Promise<Finding> {
  const [, , , region = '', owner = '', , name = ''] = arn.split(':');
  const place = ['--backup-vault-name', name, '--backup-vault-account-id', owner, '--region', region];
  const vault = await unless('ResourceNotFoundException', aws<Vault>('backup', 'describe-backup-vault', ...place));
  if (!vault) return fails(`the vault ${name} does not exist in ${region}. Create it, or correct backupCopyVaultArn`);
  const { MinRetentionDays: min = 1, MaxRetentionDays: max = Number.POSITIVE_INFINITY } = vault;
  if (backupDays < min || backupDays > max)
    return fails(`the vault keeps copies ${min} to ${max} days, but backupDays is ${settings.backupDays}`);
  return fine(`the vault ${name} in ${region} exists; its access policy must allow copies`);
}

function checkAlarmAddress({ alarmEmail, stackName }: Settings): Finding {
  return alarmEmail
    ? fine(`AWS asks ${alarmEmail} to confirm after the deploy`)
    : note(`nobody receives the alarms of ${stackName}. Set alarmEmail`);
}
