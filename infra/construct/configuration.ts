import { Token } from 'aws-cdk-lib';
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { listIssues } from '../own-fields/declarations.ts';
import { findSubject } from '../own-fields/rules.ts';
import { requireFunctionUrls } from '../settings/regions.ts';
import { describeValues, plainPropNames, SettingError, type Settings, settings } from '../settings/settings.ts';
import { getDefaultStreams } from './concurrency.ts';
import type { PlainProps } from './plain-props.ts';
import type { AuthorizerAuth, Scopes, TokenAuth, UserManagementProps } from './props.ts';
import type { SelfSignUp } from './user-pool.ts';

type PlainSettings = Pick<Settings, keyof PlainProps>;

/** JavaScript callers have no compiler, so unknown props are rejected at runtime. */
const OTHER_PROPS: Record<Exclude<keyof UserManagementProps, keyof PlainProps>, true> = {
  auth: true,
  userPool: true,
  userPoolClientIds: true,
  table: true,
  encryptionKey: true,
  certificate: true,
  alarmTopic: true,
  logRetention: true,
  removalPolicy: true,
  deletionProtection: true,
  tableName: true,
  warmThroughput: true,
  maxThroughput: true,
  tableProps: true,
  functionProps: true,
  alarmThresholds: true,
  outputs: true,
  throttle: true,
  architecture: true,
  vpc: true,
  vpcSubnets: true,
  securityGroups: true,
  bundles: true,
};

type AllScopes = { [Right in keyof Scopes]-?: string };

export type Tokens = { issuer: string; audience: string[]; scopes: AllScopes };

export type Groups = { claim: string; read: string | undefined; write: string | undefined };

export type Authorization = {
  rest: 'iam' | 'none' | Tokens | { authorizer: IHttpRouteAuthorizer; scopes?: Scopes | undefined };
  graphql: 'iam' | 'none' | Tokens;
};

/** False for a custom authorizer, even if it verifies tokens. */
export const verifiesTokens = (rest: Authorization['rest']): rest is Tokens =>
  typeof rest === 'object' && !('authorizer' in rest);

export type Configuration = Omit<PlainSettings, 'maxStreams'> &
  Authorization & { groups: Groups; maxStreams: number; throttle: { rate: number; burst: number } };

/** Validates the props and adds defaults. `poolTokens` belong to the prop `userPool`. Throws SettingError. */
export function readProps(scope: Construct, props: UserManagementProps, poolTokens?: Tokens): Configuration {
  const reader = new PropReader(scope);
  reader.requireKnownNames(props);
  const values = plainPropNames.map((name) => [name, reader.read(name, props[name])]);
  const { rate, burst } = props.throttle ?? {};
  // Cast: Object.fromEntries widens keys to string.
  const plain = Object.fromEntries(values) as PlainSettings;
  const configuration: Configuration = {
    ...plain,
    maxStreams: plain.maxStreams ?? getDefaultStreams(plain),
    ...readAuthorization(reader, props, poolTokens),
    groups: readGroups(plain, props),
    throttle: {
      rate: reader.read('throttleRate', rate, 'throttle.rate'),
      burst: reader.read('throttleBurst', burst, 'throttle.burst'),
    },
  };
  if (configuration.subscriptions === 'function-url') requireFunctionUrls(scope);
  requireKnownNumbers(reader, configuration);
  requireGraphqlLimit(reader, configuration);
  requireReservableExecutions(reader, configuration);
  requireRoomForQueries(reader, configuration);
  requireUnsignedRequests(reader, configuration);
  requirePairs(reader, configuration);
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
  return configuration;
}

export function readCallbackUrls(scope: Construct, props: UserManagementProps): string[] {
  const reader = new PropReader(scope);
  const { userPool, userPoolClient, domainName } = props;
  const given = reader.read('callbackUrls', props.callbackUrls);
  const urls = [...(domainName ? [`https://${domainName}/`] : []), ...given];
  const hasClient = userPool === 'new' || userPoolClient;
  if (!hasClient && given.length > 0) reader.reject('callbackUrls requires a new userPool, or userPoolClient');
  if (hasClient && urls.length === 0)
    reader.reject(
      'a client of the user pool requires domainName, or callbackUrls, such as https://admin.example.com/, or http://localhost:3000/ for a trial',
    );
  return urls;
}

/** Called before `readProps`, because the pool is created before the other props are validated. */
export function readSelfSignUp(scope: Construct, props: UserManagementProps): SelfSignUp {
  const reader = new PropReader(scope);
  const { userPool, fields } = props;
  const appUrls = reader.read('appUrls', props.appUrls);
  requireNewPool(reader, { selfSignUp: true, appUrls, fields: reader.read('fields', fields) }, { userPool });
  const groups = [reader.read('readGroup', props.readGroup), reader.read('writeGroup', props.writeGroup)];
  const [read = 'users-read', write = 'users-write'] = groups;
  return { appUrls, groups: [read, write] };
}

export class PropReader {
  readonly #path: string;

  constructor({ node }: Construct) {
    this.#path = node.path;
  }

  reject(reason: string): never {
    throw new SettingError(`${this.#path}: ${reason}.`);
  }

  /** Does not validate CDK tokens, because their values are known only at deployment. */
  read<Name extends keyof Settings>(setting: Name, value: unknown, name: string = setting): Settings[Name] {
    if (Token.isUnresolved(value)) return value as Settings[Name];
    const known = Array.isArray(value) ? value.filter((each) => !Token.isUnresolved(each)) : value;
    const result = settings.shape[setting].safeParse(known);
    if (result.success) return (Array.isArray(value) ? value : result.data) as Settings[Name];
    if (setting === 'fields') return this.reject(listIssues(value).join(' ').replace(/\.$/, ''));
    return this.reject(`${name} is ${JSON.stringify(known)}; expected: ${describeValues(setting)}`);
  }

  requireKnownNames(props: UserManagementProps): void {
    const known: string[] = [...plainPropNames, ...Object.keys(OTHER_PROPS)];
    const unknown = Object.keys(props).filter((name) => !known.includes(name));
    if (unknown.length > 0)
      this.reject(`unknown prop ${unknown.join(', ')}; the props are ${known.toSorted().join(', ')}`);
  }
}

function readAuthorization(
  reader: PropReader,
  { auth, userPool }: UserManagementProps,
  poolTokens?: Tokens,
): Authorization {
  if (userPool && auth) reader.reject('userPool replaces auth; give only one of them');
  if (poolTokens) return { rest: poolTokens, graphql: poolTokens };
  if (auth === undefined || auth === 'iam' || auth === 'none') return { rest: auth ?? 'iam', graphql: auth ?? 'iam' };
  if (isAuthorizer(auth)) {
    // A route requires one scope, but lists and lookups share a route. The other scopes only apply to GraphQL.
    const other = Object.keys(auth.scopes ?? {}).find((name) => name !== 'read' && name !== 'write');
    if (other) reader.reject(`auth.scopes.${other} has no effect with your own authorizer: check it there`);
    const graphql = auth.graphql === 'iam' ? 'iam' : readTokens(reader, auth.graphql, 'auth.graphql');
    return { rest: { authorizer: auth.authorizer, scopes: auth.scopes }, graphql };
  }
  const tokens = readTokens(reader, auth, 'auth');
  return { rest: tokens, graphql: tokens };
}

/**
 * An existing pool may let people register themselves, like `selfSignUp`. Groups are then required by default, so that
 * signing in alone grants no rights.
 */
function readGroups(
  { groupsClaim, readGroup, writeGroup, selfSignUp }: PlainSettings,
  { userPool }: UserManagementProps,
): Groups {
  const isOpen = selfSignUp || (userPool !== undefined && userPool !== 'new');
  return {
    claim: groupsClaim ?? (userPool ? 'cognito:groups' : 'groups'),
    read: readGroup ?? (isOpen ? 'users-read' : undefined),
    write: writeGroup ?? (isOpen ? 'users-write' : undefined),
  };
}

function requireTokensForGroups(reader: PropReader, { rest, groups }: Configuration): void {
  if ((groups.read ?? groups.write) && !verifiesTokens(rest))
    reader.reject('readGroup and writeGroup require tokens that the service itself checks');
}

const OWN_RECORDS = ['subjectClaim', 'emailClaim', 'emailVerifiedClaim', 'selfDelete', 'selfRate'] as const;

/** Own records let everyone sign in, so only groups may grant the rights of operators. */
function requirePeople(reader: PropReader, configuration: Configuration): void {
  const { fields, rest, groups } = configuration;
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
  { selfSignUp, appUrls, fields }: Pick<Configuration, 'selfSignUp' | 'appUrls' | 'fields'>,
  { userPool }: Pick<UserManagementProps, 'userPool'>,
): void {
  if (selfSignUp && userPool !== 'new')
    reader.reject('selfSignUp requires a new user pool: auth=cognito without userPoolId');
  if (selfSignUp && findSubject(fields) === undefined)
    reader.reject('selfSignUp requires a field that is declared with subject: people use their own records');
  if (appUrls.length > 0 && !selfSignUp) reader.reject('appUrls requires selfSignUp');
  if (selfSignUp && appUrls.length === 0)
    reader.reject(
      'selfSignUp requires appUrls, such as https://app.example.com/, or http://localhost:3000/ for a trial',
    );
}

function requireExistingPool(
  reader: PropReader,
  { userPool, userPoolClient, userPoolClientIds, console, consoleClientId }: UserManagementProps,
): void {
  const isExisting = userPool !== undefined && userPool !== 'new';
  if (!isExisting && (userPoolClient || userPoolClientIds?.length))
    reader.reject('userPoolClient and userPoolClientIds require an existing userPool');
  if (isExisting && console && !userPoolClient && !consoleClientId)
    reader.reject(
      'console with an existing userPool requires userPoolClient, or a client of the pool as consoleClientId',
    );
}

const isAuthorizer = (auth: TokenAuth | AuthorizerAuth): auth is AuthorizerAuth =>
  typeof auth === 'object' && auth !== null && 'authorizer' in auth;

/** A CDK token of type string is one audience. `read` splits other strings at commas. */
const toList = (audience: string | string[]) =>
  typeof audience === 'string' && Token.isUnresolved(audience) ? [audience] : audience;

function readTokens(reader: PropReader, auth: TokenAuth | undefined, name: string): Tokens {
  if (typeof auth !== 'object' || auth === null || !auth.issuer || !auth.audience?.length)
    return reader.reject(`${name} is ${JSON.stringify(auth)}; expected: 'iam', or an issuer and its audience`);
  return {
    issuer: reader.read('issuer', auth.issuer, `${name}.issuer`) ?? '',
    audience: reader.read('audience', toList(auth.audience), `${name}.audience`),
    scopes: readScopes(reader, auth.scopes, `${name}.scopes`),
  };
}

function readScopes(reader: PropReader, scopes: Partial<Scopes> = {}, name: string): AllScopes {
  const read = reader.read('readScope', scopes.read, `${name}.read`);
  return {
    read,
    list: reader.read('listScope', scopes.list, `${name}.list`) ?? read,
    history: reader.read('historyScope', scopes.history, `${name}.history`),
    write: reader.read('writeScope', scopes.write, `${name}.write`),
    erase: reader.read('eraseScope', scopes.erase, `${name}.erase`),
    self: reader.read('selfScope', scopes.self, `${name}.self`),
  };
}

/** A CDK token is a negative number during the synthesis, so comparisons would be wrong. */
function requireKnownNumbers(reader: PropReader, configuration: Configuration): void {
  for (const name of ['concurrency', 'graphqlConcurrency', 'maxStreams'] as const)
    if (Token.isUnresolved(configuration[name]))
      reader.reject(`${name} is a CDK token; expected: a value that is known at synthesis`);
}

/**
 * Executions of the account that Lambda keeps unreserved.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const UNRESERVED_EXECUTIONS = 100;

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

function requirePairs(reader: PropReader, { webhookUrl, events, backupCopyVaultArn, backupDays }: Configuration): void {
  if (webhookUrl && !events) reader.reject('webhookUrl requires events');
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
