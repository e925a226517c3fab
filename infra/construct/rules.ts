import { Token } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { findSubject } from '../own-fields/rules.ts';
import { requireGraphqlServer, requireSiteLogs } from '../settings/regions.ts';
import { settings } from '../settings/settings.ts';
import { UNRESERVED_EXECUTIONS } from './concurrency.ts';
import { type Configuration, PropReader, verifiesTokens } from './configuration.ts';
import type { UserManagementProps } from './props.ts';
import { hasSite } from './site.ts';

/** All rules between props, and so between settings. Throws SettingError. */
export function checkRules(scope: Construct, configuration: Configuration, props: UserManagementProps): void {
  const reader = new PropReader(scope);
  requireGraphqlServer(scope, configuration.subscriptions);
  if (configuration.siteLogs && hasSite(configuration)) requireSiteLogs(scope);
  requireKnownNumbers(reader, configuration);
  requireGraphqlLimit(reader, configuration);
  requireReservableExecutions(reader, configuration);
  requireRoomForQueries(reader, configuration);
  requireUnsignedRequests(reader, configuration);
  requireBackups(reader, configuration);
  requireCertificate(reader, props);
  requireTimeout(reader, props);
  requireVpc(reader, props);
  requireRedirectUrl(reader, props);
  requireUsableTable(reader, props);
  requireWebFunctions(reader, props);
  requireTokensForGroups(reader, configuration);
  requireExistingPool(reader, props);
  requirePeople(reader, configuration);
  requireNewPool(reader, configuration, props);
}

function requireTokensForGroups(reader: PropReader, { rest, requiredGroups: groups }: Configuration): void {
  if ((groups.read ?? groups.write) && !verifiesTokens(rest))
    reader.reject('readGroup and writeGroup require tokens that the service itself checks');
}

const OWN_RECORDS = [
  'subjectClaim',
  'emailClaim',
  'emailVerifiedClaim',
  'selfDelete',
  'selfLink',
  'emailFollows',
  'selfRate',
] as const;

/** Own records let everyone sign in, so only groups may grant the rights of operators. */
function requirePeople(reader: PropReader, configuration: Configuration): void {
  const { fields, rest, requiredGroups: groups } = configuration;
  const subject = findSubject(fields);
  if (subject === undefined) {
    const given = OWN_RECORDS.filter((name) => configuration[name] !== settings.shape[name].parse(undefined));
    if (given.length > 0) reader.reject(`${given.join(', ')} requires a field that is declared with subject`);
    return;
  }
  if (!verifiesTokens(rest)) reader.reject(`the field ${subject} with subject requires auth=jwt or auth=cognito`);
  if (!groups.read || !groups.write)
    reader.reject(
      `the field ${subject} with subject requires readGroup and writeGroup: people who sign in must not read or change others`,
    );
}

/** `selfSignUp` requires a new pool, because the service does not change who can register in an existing one. */
function requireNewPool(
  reader: PropReader,
  { selfSignUp, fields }: Configuration,
  { userPool }: UserManagementProps,
): void {
  if (selfSignUp.length === 0) return;
  if (userPool !== 'new') reader.reject('selfSignUp requires a new user pool: auth=cognito without userPoolId');
  if (findSubject(fields) === undefined)
    reader.reject('selfSignUp requires a field that is declared with subject: people use their own records');
}

function requireExistingPool(
  reader: PropReader,
  { userPool, userPoolClient, userPoolClientIds, callbackUrls, console, consoleClientId }: UserManagementProps,
): void {
  const isExisting = userPool !== undefined && userPool !== 'new';
  if (!isExisting && (userPoolClient || userPoolClientIds?.length))
    reader.reject('userPoolClient and userPoolClientIds require an existing userPool');
  if (userPool !== 'new' && !userPoolClient && callbackUrls?.length)
    reader.reject('callbackUrls requires a new userPool, or userPoolClient');
  if (isExisting && console && !userPoolClient && !consoleClientId)
    reader.reject(
      'console with an existing userPool requires userPoolClient, or a client of the pool as consoleClientId',
    );
}

/** A CDK token is a negative number during the synthesis, so comparisons would be wrong. */
function requireKnownNumbers(reader: PropReader, configuration: Configuration): void {
  for (const name of ['concurrency', 'graphqlConcurrency', 'maxStreams'] as const)
    if (Token.isUnresolved(configuration[name]))
      reader.reject(`${name} is a CDK token; expected: a value that is known at synthesis`);
}

/** Anyone can invoke an open Function URL, and even rejected requests use the account's concurrent executions. */
function requireGraphqlLimit(
  reader: PropReader,
  { graphql, graphqlConcurrency, subscriptions, concurrency }: Configuration,
): void {
  if (graphql === 'iam' || subscriptions === 'web-function' || graphqlConcurrency !== undefined) return;
  const limit = Math.floor((concurrency - UNRESERVED_EXECUTIONS) / 2);
  reader.reject(
    limit > 0
      ? `graphqlConcurrency is missing: anyone can invoke the GraphQL Function URL. Set graphqlConcurrency to ${limit}, or to 'unlimited' to let it use all executions of the account`
      : "graphqlConcurrency is missing: anyone can invoke the GraphQL Function URL. Set graphqlConcurrency to 'unlimited', and to a number once the account's quota (concurrency) is above 100",
  );
}

/** Lambda would reject the reservation during the first deploy, after the protected table exists. */
function requireReservableExecutions(
  reader: PropReader,
  { graphqlConcurrency, subscriptions, concurrency }: Configuration,
): void {
  if (subscriptions === 'web-function' || typeof graphqlConcurrency !== 'number') return;
  const limit = concurrency - UNRESERVED_EXECUTIONS;
  if (graphqlConcurrency <= limit) return;
  reader.reject(
    limit > 0
      ? `graphqlConcurrency is ${graphqlConcurrency}; expected: at most ${limit}, because Lambda keeps ${UNRESERVED_EXECUTIONS} of the account's ${concurrency} executions (concurrency) unreserved`
      : `graphqlConcurrency is ${graphqlConcurrency}, but an account with a quota of ${concurrency} (concurrency) can reserve no executions. Set concurrency to the quota that \`aws lambda get-account-settings\` prints; if it is ${UNRESERVED_EXECUTIONS} or less, as in a new account, set graphqlConcurrency to 'unlimited'`,
  );
}

function requireRoomForQueries(
  reader: PropReader,
  { graphqlConcurrency, maxStreams, subscriptions }: Configuration,
): void {
  if (subscriptions === 'web-function' || typeof graphqlConcurrency !== 'number' || graphqlConcurrency > maxStreams)
    return;
  reader.reject(
    `graphqlConcurrency is ${graphqlConcurrency}, which leaves no room for queries beside ${maxStreams} streams (maxStreams)`,
  );
}

/**
 * The user pool's client needs the console's URL. CloudFront's own domain is unknown until the distribution exists, and
 * the distribution depends on that client.
 */
function requireRedirectUrl(reader: PropReader, { console, userPool, domainName }: UserManagementProps): void {
  if (console && userPool && !domainName)
    reader.reject('console with userPool requires domainName, which is the redirect URL of its client');
}

/** Browsers do not sign requests, and CloudFront replaces the host that signatures include. */
function requireUnsignedRequests(reader: PropReader, { rest, graphql, ...names }: Configuration): void {
  if (rest !== 'iam' && graphql !== 'iam') return;
  for (const name of ['console', 'domainName'] as const)
    if (names[name]) reader.reject(`${name} requires tokens or auth=none: CloudFront cannot pass signed requests on`);
}

function requireBackups(reader: PropReader, { backupCopyVaultArn, backupDays }: Configuration): void {
  if (backupCopyVaultArn && !backupDays) reader.reject('backupCopyVaultArn requires backupDays');
}

function requireCertificate(reader: PropReader, { domainName, certificate }: UserManagementProps): void {
  if (domainName && !certificate) reader.reject('domainName requires its certificate, in us-east-1');
  if (certificate && !domainName) reader.reject('certificate requires its domainName');
}

/** Lambda must not end a function before the function itself answers 503 after 5 s. */
const MIN_TIMEOUT_SECONDS = 6;

function requireTimeout(reader: PropReader, { functionProps }: UserManagementProps): void {
  const seconds = functionProps?.timeout?.toSeconds();
  if (seconds !== undefined && seconds < MIN_TIMEOUT_SECONDS)
    reader.reject(`functionProps.timeout is ${seconds} seconds; expected: at least ${MIN_TIMEOUT_SECONDS} seconds`);
}

function requireVpc(reader: PropReader, { vpc, vpcSubnets, securityGroups }: UserManagementProps): void {
  if (!vpc && (vpcSubnets || securityGroups)) reader.reject('vpcSubnets and securityGroups require vpc');
}

function requireWebFunctions(reader: PropReader, { subscriptions, vpc }: UserManagementProps): void {
  if (subscriptions !== 'web-function') return;
  if (!('WebFunction' in lambda)) reader.reject('subscriptions=web-function requires aws-cdk-lib 2.276 or later');
  if (vpc) reader.reject('subscriptions=web-function cannot be used with vpc yet');
}

function requireUsableTable(
  reader: PropReader,
  { table, tableName, warmThroughput, maxThroughput, tableProps, deletionProtection }: UserManagementProps,
): void {
  if (!table) return;
  if (!table.tableStreamArn) reader.reject('table has no stream; import it with its tableStreamArn');
  if (tableName ?? warmThroughput ?? maxThroughput ?? tableProps ?? deletionProtection)
    reader.reject(
      'tableName, warmThroughput, maxThroughput, tableProps and deletionProtection are props of a new table; set them where table is made',
    );
}
