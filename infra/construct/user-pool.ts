import { ArnFormat, Fn, Lazy, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import {
  AccountRecovery,
  type CfnUserPool,
  CfnUserPoolGroup,
  FeaturePlan,
  type IUserPool,
  Mfa,
  OAuthScope,
  ResourceServerScope,
  StringAttribute,
  UserPool,
  type UserPoolClient,
  type UserPoolClientOptions,
  type UserPoolResourceServer,
} from 'aws-cdk-lib/aws-cognito';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { SelfSignUp, Tokens } from './configuration.ts';

const read = new ResourceServerScope({ scopeName: 'users:read', scopeDescription: 'Read users and posts' });
const write = new ResourceServerScope({ scopeName: 'users:write', scopeDescription: 'Change users and posts' });
const history = new ResourceServerScope({ scopeName: 'users:history', scopeDescription: 'Read histories of users' });
const erase = new ResourceServerScope({ scopeName: 'users:erase', scopeDescription: 'Erase people' });
const self = new ResourceServerScope({ scopeName: 'users:self', scopeDescription: 'Use the own record' });
const group = new ResourceServerScope({ scopeName: 'users:group', scopeDescription: 'Administer the own group' });

type Props = {
  userPool: IUserPool | 'new';
  /** Whether an existing pool gets a client, with which anyone in the pool can sign in to the service. */
  addsClient: boolean;
  clientIds: string[];
  hasSubject: boolean;
  /** The setting of the same name. */
  groupClaim: string | undefined;
  selfSignUp: SelfSignUp | undefined;
  /** Name of the service, and identifier of its resource server. */
  name: string;
  stackUuid: string;
  callbackUrls: string[];
};

/**
 * Cognito names scopes `<resource server>/<scope>`:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-define-resource-servers.html
 */
export class UserPoolAccess extends Construct {
  readonly userPool: IUserPool;
  /** For operators, with PKCE and no secret. An existing pool gets it only with `userPoolClient`. */
  readonly client: UserPoolClient | undefined;
  /** For people's own records. Its tokens grant nothing else. */
  readonly peopleClient: UserPoolClient | undefined;
  readonly tokens: Tokens;
  readonly signInOrigin: string | undefined;
  readonly #server: UserPoolResourceServer;
  readonly #clientIds: string[];

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { userPool, addsClient, clientIds, hasSubject, groupClaim, selfSignUp, name, stackUuid, callbackUrls } =
      props;
    const personScopes = [...(hasSubject ? [self] : []), ...(groupClaim === undefined ? [] : [group])];
    this.#clientIds = [...clientIds];
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    this.userPool =
      userPool === 'new' ? (createUserPool(this, selfSignUp !== undefined, groupClaim) as IUserPool) : userPool;
    this.#server = this.userPool.addResourceServer(`${name}-scopes`, {
      identifier: name,
      scopes: [read, write, history, erase, ...personScopes],
    });
    this.tokens = {
      // Its domain depends on the partition.
      issuer: `https://${this.userPool.userPoolProviderName}`,
      audience: Lazy.list({ produce: () => this.#clientIds }),
      scopes: {
        read: `${name}/${read.scopeName}`,
        list: `${name}/${read.scopeName}`,
        history: `${name}/${history.scopeName}`,
        write: `${name}/${write.scopeName}`,
        erase: `${name}/${erase.scopeName}`,
        self: `${name}/${self.scopeName}`,
        group: `${name}/${group.scopeName}`,
      },
    };
    this.signInOrigin = userPool === 'new' ? this.#addDomain(name, stackUuid) : undefined;
    if (userPool === 'new' || addsClient) this.client = this.#addPublicClient(`${name}-client`, callbackUrls);
    if (selfSignUp) {
      this.peopleClient = this.#addPeopleClient(`${name}-people`, selfSignUp.appUrls, personScopes);
      for (const [at, groupName] of [...new Set(selfSignUp.groups)].entries()) this.#addGroup(groupName, at);
    }
    this.node.addValidation({
      validate: () =>
        this.#clientIds.length > 0
          ? []
          : ['No client of the pool is accepted: set userPoolClientIds or userPoolClient, or call addUserPoolClient.'],
    });
  }

  #addPublicClient(id: string, urls: string[]): UserPoolClient {
    // Excludes `erase`: a team that wants it adds a separate client.
    const scopes = [
      OAuthScope.OPENID,
      ...[read, write, history].map((scope) => OAuthScope.resourceServer(this.#server, scope)),
    ];
    return this.addClient(id, {
      generateSecret: false,
      oAuth: { flows: { authorizationCodeGrant: true }, callbackUrls: urls, logoutUrls: urls, scopes },
    });
  }

  #addPeopleClient(id: string, urls: string[], personScopes: ResourceServerScope[]): UserPoolClient {
    return this.addClient(id, {
      generateSecret: false,
      // Apps with their own sign-in page sign in through the SDK (SRP).
      authFlows: { userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        callbackUrls: urls,
        logoutUrls: urls,
        scopes: [OAuthScope.OPENID, ...personScopes.map((scope) => OAuthScope.resourceServer(this.#server, scope))],
      },
    });
  }

  /** Kept when the stack is deleted, like the pool, but not when the deploy that creates the group fails. */
  #addGroup(groupName: string, position: number): void {
    const { userPoolId } = this.userPool;
    // An id cannot contain a CDK token.
    const id = Token.isUnresolved(groupName) ? `group-at-${position}` : `group-${groupName}`;
    const group = new CfnUserPoolGroup(this, id, { userPoolId, groupName });
    group.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  }

  /**
   * Builds the ARN from the name, because a CloudFormation reference would be circular. The function may not exist yet.
   * AWS does not document whether Cognito accepts this. CreateUserPool lists no error for functions, sign-ins do
   * (UnexpectedLambdaException).
   * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPool.html#API_CreateUserPool_Errors
   */
  customizeTokens(customize: LambdaFunction, functionName: string): void {
    const lambdaArn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: functionName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    (this.userPool.node.defaultChild as CfnUserPool).lambdaConfig = {
      preTokenGenerationConfig: { lambdaArn, lambdaVersion: 'V2_0' },
    };
    customize.addPermission('sign-in', {
      principal: new ServicePrincipal('cognito-idp.amazonaws.com'),
      sourceArn: this.userPool.userPoolArn,
    });
  }

  /** The service accepts tokens of the new client. Default scopes: read and write. */
  addClient(id: string, options: UserPoolClientOptions): UserPoolClient {
    const scopes = [OAuthScope.resourceServer(this.#server, read), OAuthScope.resourceServer(this.#server, write)];
    const { clientCredentials } = options.oAuth?.flows ?? {};
    const client = this.userPool.addClient(id, {
      preventUserExistenceErrors: true,
      ...options,
      // Cognito rejects `openid` for client credentials.
      oAuth: { scopes: clientCredentials ? scopes : [OAuthScope.OPENID, ...scopes], ...options.oAuth },
    });
    this.#clientIds.push(client.userPoolClientId);
    return client;
  }

  /** The prefix must be unique among all AWS accounts in the region. */
  #addDomain(name: string, stackUuid: string): string {
    const suffix = Fn.select(0, Fn.split('-', stackUuid));
    const domainPrefix = `${toDomainPrefix(name)}-${suffix}`;
    return this.userPool.addDomain('domain', { cognitoDomain: { domainPrefix } }).baseUrl();
  }
}

/** Cognito's limit, minus the suffix: a hyphen and eight digits. */
const MAX_PREFIX_LENGTH = 63 - 9;

/**
 * Cognito allows lower case letters, digits and inner hyphens, and rejects the words aws, amazon and cognito:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-assign-domain-prefix.html
 */
const toDomainPrefix = (name: string): string =>
  name
    .toLowerCase()
    .replace(/aws|amazon|cognito|[^a-z0-9]/g, '-')
    .replace(/-+/g, '-')
    .slice(0, MAX_PREFIX_LENGTH)
    .replace(/^-|-$/g, '') || 'users';

/** The people's client can write the attribute of `groupClaim`, which names a group but gives no role. */
function createUserPool(scope: Construct, selfSignUpEnabled: boolean, groupClaim: string | undefined): UserPool {
  const pool = new UserPool(scope, 'pool', {
    selfSignUpEnabled,
    signInAliases: { email: true },
    // Keeps the old address until the new one is verified, so tokens only contain verified addresses.
    ...(selfSignUpEnabled ? { keepOriginal: { email: true } } : {}),
    ...(groupClaim === undefined ? {} : { customAttributes: { [groupClaim]: new StringAttribute({ mutable: true }) } }),
    passwordPolicy: {
      minLength: 12,
      requireDigits: true,
      requireLowercase: true,
      requireUppercase: true,
      requireSymbols: true,
    },
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { otp: true, sms: false },
    featurePlan: FeaturePlan.ESSENTIALS,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  acknowledge(
    pool,
    {
      id: 'AwsSolutions-COG2',
      reason: 'Users may register a second factor; to require it is a choice of the operator.',
    },
    { id: 'AwsSolutions-COG8', reason: 'The Plus plan is priced by user, which is a choice of the operator.' },
  );
  return pool;
}
