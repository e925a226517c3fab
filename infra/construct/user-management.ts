import { join } from 'node:path';
import { Annotations, CfnOutput, Fn, Names, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IUserPool, UserPoolClient, UserPoolClientOptions } from 'aws-cdk-lib/aws-cognito';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { isOffered, type Operation } from '../../lib/rest/operation.ts';
import { type OperationName, operations } from '../../lib/rest/operations.ts';
import { findSubject } from '../own-fields/rules.ts';
import { SettingError } from '../settings/settings.ts';
import { type GraphqlMetrics, sumPerMinute } from './alarms.ts';
import { CanaryDeployment } from './canary-deployment.ts';
import { describeShortage } from './concurrency.ts';
import { type Configuration, readCallbackUrls, readProps, readSelfSignUp, verifiesTokens } from './configuration.ts';
import { EventPublisher } from './event-publisher.ts';
import {
  addGraphqlUrl,
  createTokenVariables,
  type GraphqlEndpoint,
  GraphqlFunction,
  measureGraphqlUrl,
} from './graphql-function.ts';
import { GraphqlWebFunction } from './graphql-web-function.ts';
import { createFunctionLogs } from './logs.ts';
import { Monitoring } from './monitoring.ts';
import { PageIndexer } from './page-indexer.ts';
import type { Scopes, UserManagementProps } from './props.ts';
import { RestApi } from './rest-api.ts';
import { checkRules } from './rules.ts';
import {
  createAuthorizerVariables,
  createLogVariables,
  createRightVariables,
  ServiceFunction,
  type SharedProps,
} from './service-function.ts';
import { allowNotifications } from './service-key.ts';
import { createGlobalName, hasSite, Site } from './site.ts';
import { StreamConsumer } from './stream-consumer.ts';
import { TableBackup } from './table-backup.ts';
import { TokenFunction } from './token-function.ts';
import { UserPoolAccess } from './user-pool.ts';
import { UsersTable } from './users-table.ts';
import { Webhook } from './webhook.ts';

/** Users and their posts over REST and GraphQL, with a new or an existing table. */
export class UserManagement extends Construct {
  readonly table: ITableV2;
  readonly api: HttpApi;
  /** Base URL of /api/users and /v1/users, ending with a slash. */
  readonly restUrl: string;
  readonly graphqlUrl: string;
  /** Functions by name, such as `create-user`, `graphql`, `on-change` and `index-pages`. No `graphql` if a web function serves GraphQL. */
  readonly functions: { readonly [name: string]: IFunction };
  /** Receives changes of users and posts. Undefined without `events`. */
  readonly eventBus: IEventBus | undefined;
  /** Signs webhooks. Undefined without `webhookUrl`. */
  readonly webhookSecret: ISecret | undefined;
  readonly alarms: Alarm[];
  readonly topic: ITopic;
  /** Undefined without `console`. */
  readonly consoleUrl: string | undefined;
  /** The DNS record of `domainName` must point to this distribution. Undefined if neither `console` nor `domainName` is set. */
  readonly distribution: Distribution | undefined;
  /** Issues accepted tokens. Undefined without `userPool`. */
  readonly userPool: IUserPool | undefined;
  /**
   * Operators sign in with this public client. Undefined without `userPool`, and for an existing pool unless the prop
   * `userPoolClient` is true.
   */
  readonly userPoolClient: UserPoolClient | undefined;
  /** People sign in to their own records with this public client. Undefined without `selfSignUp`. */
  readonly peopleClient: UserPoolClient | undefined;
  /** Scopes that tokens need. Scopes of a user pool start with the name of its resource server. */
  readonly scopes: Scopes | undefined;
  readonly #pool: UserPoolAccess | undefined;
  readonly #graphql: GraphqlEndpoint;
  readonly #rest: Configuration['rest'];

  constructor(scope: Construct, id: string, props: UserManagementProps = {}) {
    super(scope, id);
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-', allowedSpecialCharacters: '-' });
    // arn:…:stack/<name>/<uuid>
    const stackUuid = Fn.select(2, Fn.split('/', Stack.of(this).stackId));
    const { domainName } = props;
    this.#pool = createPool(this, props, { name, stackUuid });
    const configuration = readProps(this, props, this.#pool?.tokens);
    checkRules(this, configuration, props);
    annotate(this, configuration, props);
    if (props.encryptionKey) allowNotifications(this, props.encryptionKey);
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    this.table = props.table ?? (new UsersTable(this, 'table', props) as ITableV2);
    const { logRetention, removalPolicy, architecture, vpc, vpcSubnets, securityGroups, functionProps } = props;
    const shared: SharedProps = {
      logRetention,
      removalPolicy,
      architecture,
      vpc,
      vpcSubnets,
      securityGroups,
      functionProps,
      ...configuration,
      ...describeSignIn(configuration, this.#pool),
      name,
      stackUuid,
      table: this.table,
      key: props.encryptionKey,
      logGroup: createFunctionLogs(this, { name, logRetention, removalPolicy }),
      bundles: props.bundles ?? join(import.meta.dirname, 'bundles'),
    };

    const tokenFunctions = this.#pool?.peopleClient
      ? [customizeTokens(this, this.#pool, this.#pool.peopleClient, shared)]
      : [];
    const rest = createRestFunctions(this, shared);
    const deployment = new CanaryDeployment(this, 'releases', shared);
    const graphql = createGraphql(this, shared, deployment);
    const changes = new StreamConsumer(this, 'changes', 'on-change', shared, {
      environment: createLogVariables(shared),
    });
    const events = shared.events ? new EventPublisher(this, 'events', shared) : undefined;
    const { webhookUrl } = shared;
    const webhook = events && webhookUrl ? new Webhook(this, 'webhook', webhookUrl, events, shared) : undefined;
    const pages = new PageIndexer(this, 'pages', shared);
    const { api, stage } = new RestApi(this, 'api', { functions: rest, deployment }, shared);

    const consumers = [changes, ...(events ? [events] : [])];
    const streamReaders = consumers.map((each) => each.function);
    const requestFunctions = [...rest.values(), ...graphql.functions];
    const backgroundFunctions = [...streamReaders, pages.function];
    const webhookFunctions = webhook ? [webhook.function] : [];
    const functions = [...requestFunctions, ...backgroundFunctions, ...webhookFunctions];
    const { backupDays, backupCopyVaultArn: copyVaultArn } = configuration;
    const backup = backupDays
      ? new TableBackup(this, 'backup', { table: this.table, backupDays, copyVaultArn, key: props.encryptionKey })
      : undefined;
    const monitoring = new Monitoring(this, 'monitoring', {
      ...shared,
      // Includes post-webhook: after a crash, it retries once an hour, too rarely for the alarm of background
      // functions.
      // Excludes a token function that fails by intention, when it refuses a sign-in.
      requestFunctions: [
        ...requestFunctions,
        ...tokenFunctions.filter(({ refusesSignIns }) => !refusesSignIns),
        ...webhookFunctions,
      ],
      backgroundFunctions,
      stage,
      graphql: graphql.metrics,
      changes,
      events,
      webhook,
      rules: [pages.rule, ...(backup ? [backup.failures] : [])],
      alarmTopic: props.alarmTopic,
      alarmThresholds: props.alarmThresholds,
    });
    deployment.rollBackOn(monitoring.rollbackAlarms);
    backup?.notify(monitoring.topic);
    const site = hasSite(shared)
      ? new Site(this, 'site', { ...shared, certificate: props.certificate, api, graphqlHost: graphql.endpoint.host })
      : undefined;

    this.api = api;
    this.restUrl = domainName && site ? site.url : stage.url;
    this.graphqlUrl = domainName && site ? `${site.url}graphql` : graphql.endpoint.url;
    this.consoleUrl = shared.console ? site?.url : undefined;
    this.distribution = site?.distribution;
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    this.functions = Object.fromEntries(functions.map((each) => [each.node.id, each as IFunction]));
    this.eventBus = events?.bus as IEventBus | undefined;
    this.webhookSecret = webhook?.secret as ISecret | undefined;
    this.alarms = monitoring.alarms;
    this.topic = monitoring.topic;
    this.userPool = this.#pool?.userPool;
    this.userPoolClient = this.#pool?.client;
    this.peopleClient = this.#pool?.peopleClient;
    this.scopes = typeof configuration.rest === 'string' ? undefined : configuration.rest.scopes;
    this.#graphql = graphql.endpoint;
    this.#rest = configuration.rest;
    if (props.outputs) this.#addOutputs(domainName !== undefined);
  }

  #addOutputs(hasDomain: boolean): void {
    const add = (id: string, value: string | undefined, description: string) => {
      if (value !== undefined) new CfnOutput(this, id, { value, description });
    };
    add('ApiUrl', this.restUrl, 'Base URL of /api/users and /v1/users');
    add('GraphqlUrl', this.graphqlUrl, 'Queries, mutations, subscriptions');
    add('ConsoleUrl', this.consoleUrl, 'The console');
    if (hasDomain)
      add('DomainTarget', this.distribution?.distributionDomainName, 'Target of the DNS record of the domain name');
    if (this.userPoolClient) add('UserPoolId', this.userPool?.userPoolId, 'The pool whose tokens are accepted');
    add('UserPoolClientId', this.userPoolClient?.userPoolClientId, 'The client with which operators sign in');
    add(
      'PeopleClientId',
      this.peopleClient?.userPoolClientId,
      'The client with which people sign in to use their own records',
    );
    add('TableName', this.table.tableName, 'The table of all data');
    add('EventBusName', this.eventBus?.eventBusName, 'The bus of changes of users and posts');
    add('EventBusArn', this.eventBus?.eventBusArn, 'The bus of changes of users and posts');
    add('WebhookSecretArn', this.webhookSecret?.secretArn, 'The secret that signs webhooks');
  }

  /** Allows reading users over REST. Does not allow GraphQL, because IAM cannot distinguish queries from mutations. */
  grantRead(grantee: IGrantable): Grant {
    return this.#grantMethods(grantee, ['GET', 'HEAD']);
  }

  /** Allows reading and changing users and posts, over REST and GraphQL. */
  grantWrite(grantee: IGrantable): Grant {
    return this.#grantMethods(grantee, ['*']).combine(this.#graphql.grantInvoke(grantee));
  }

  #grantMethods(grantee: IGrantable, methods: string[]): Grant {
    if (this.#rest !== 'iam')
      throw new SettingError(`${this.node.path}: grantRead and grantWrite require auth=iam; others send tokens.`);
    const resourceArns = methods.map((method) => this.api.arnForExecuteApi(method, '/*', '$default'));
    return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns });
  }

  /**
   * The service accepts tokens of the new client. Default scopes: read and write. Request others in `options`, e.g.
   * `OAuthScope.custom(users.scopes.erase)`.
   */
  addUserPoolClient(id: string, options: UserPoolClientOptions): UserPoolClient {
    if (!this.#pool) throw new SettingError(`${this.node.path}: addUserPoolClient requires the prop userPool.`);
    return this.#pool.addClient(id, options);
  }
}

function createPool(
  scope: Construct,
  props: UserManagementProps,
  names: { name: string; stackUuid: string },
): UserPoolAccess | undefined {
  const { userPool, userPoolClient, userPoolClientIds = [], consoleClientId, fields = {}, groupClaim } = props;
  if (!userPool) return undefined;
  const clientIds = [...new Set([...userPoolClientIds, ...(consoleClientId ? [consoleClientId] : [])])];
  const addsClient = userPoolClient ?? false;
  const hasSubject = findSubject(fields) !== undefined;
  const selfSignUp = readSelfSignUp(scope, props);
  const callbackUrls = readCallbackUrls(scope, props);
  const options = { userPool, addsClient, clientIds, hasSubject, groupClaim, selfSignUp, callbackUrls };
  return new UserPoolAccess(scope, 'users', { ...options, ...names });
}

function customizeTokens(
  scope: Construct,
  pool: UserPoolAccess,
  client: UserPoolClient,
  shared: SharedProps,
): TokenFunction {
  const functionName = createGlobalName(scope, 'token');
  const { userPoolClientId: peopleClientId } = client;
  const { scopes } = pool.tokens;
  const customizer = new TokenFunction(scope, { ...shared, functionName, peopleClientId, scopes });
  pool.customizeTokens(customizer, functionName);
  return customizer;
}

const describeSignIn = ({ consoleClientId, consoleTokenOrigin }: Configuration, pool: UserPoolAccess | undefined) => ({
  consoleClientId: consoleClientId ?? pool?.client?.userPoolClientId,
  consoleTokenOrigin: consoleTokenOrigin ?? pool?.signInOrigin,
});

function annotate(scope: Construct, configuration: Configuration, { userPool }: UserManagementProps): void {
  const { rest, graphql, requiredGroups: groups } = configuration;
  const annotations = Annotations.of(scope);
  const shortage = describeShortage(configuration);
  if (shortage) annotations.addInfo(shortage);
  if (rest === 'none')
    annotations.addWarningV2('auth-none', 'auth=none: anyone who knows the URLs can read and change all users.');
  // A new pool needs no notice, because only operators can add people to it.
  if (configuration.console && typeof graphql === 'object' && !groups.write && userPool !== 'new')
    annotations.addInfo(
      'Anyone who can sign in to the console may change users. Set writeGroup if people can register themselves at the issuer.',
    );
}

/**
 * A change of `auth` changes the name, which creates another function with another URL. A web function cannot detect
 * whether its endpoint verified a request, so none may receive both signed and open requests.
 */
const nameServer = ({ graphql }: SharedProps) => (graphql === 'iam' ? 'signed-graphql-server' : 'graphql-server');

/** A web function has no versions, so it has no canary deployment. */
function createGraphql(scope: Construct, shared: SharedProps, deployment: CanaryDeployment) {
  if (shared.subscriptions === 'web-function') {
    const server = new GraphqlWebFunction(scope, nameServer(shared), shared);
    const metrics: GraphqlMetrics = { serverErrors: server.metricServerErrors(sumPerMinute) };
    return { endpoint: server as GraphqlEndpoint, functions: [], metrics };
  }
  const graphql = new GraphqlFunction(scope, shared);
  const endpoint = addGraphqlUrl(deployment.liveAlias(graphql), shared);
  return { endpoint, functions: [graphql], metrics: measureGraphqlUrl(graphql) };
}

/**
 * Verification by API Gateway that functions require. Undefined for auth=none, and for a custom authorizer, which may
 * verify anything.
 */
function getRequiredAuthorizer(rest: Configuration['rest']): 'iam' | 'jwt' | undefined {
  if (rest === 'iam') return 'iam';
  return verifiesTokens(rest) ? 'jwt' : undefined;
}

/** `changedSince` and downloads read the change log. A deletion writes items that last as long as the history. */
const OF_CHANGE_LOG = new Set<OperationName>(['list-users', 'delete-user', 'delete-me', 'get-my-data']);

function createRestFunctions(scope: Construct, shared: SharedProps): ReadonlyMap<OperationName, ServiceFunction> {
  const { rest } = shared;
  const environment = {
    ...createAuthorizerVariables(getRequiredAuthorizer(rest), shared),
    ...(verifiesTokens(rest) ? createRightVariables(rest, shared) : {}),
  };
  const createFunction = (name: OperationName) =>
    new ServiceFunction(scope, name, shared, {
      ...shared.functionProps,
      environment: {
        ...shared.functionProps?.environment,
        ...environment,
        ...(verifiesTokens(rest) && (operations[name] as Operation).verifiesTokens ? createTokenVariables(rest) : {}),
        ...(OF_CHANGE_LOG.has(name) ? createLogVariables(shared) : {}),
      },
    });
  const subject = shared.fields[findSubject(shared.fields) ?? ''];
  // Cast: Object.entries widens keys to string.
  const offered = (Object.entries(operations) as [OperationName, Operation][]).filter(([, operation]) =>
    isOffered(operation, subject),
  );
  return new Map(offered.map(([name]) => [name, createFunction(name)]));
}
