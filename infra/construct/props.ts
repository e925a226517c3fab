import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { ITableV2, TablePropsV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Architecture, FunctionProps } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { PlainProps } from './plain-props.ts';

/** Names of the scopes in tokens. Scopes limit clients; groups limit people. */
export interface Scopes {
  /** For lists, gets, queries and subscriptions. */
  readonly read: string;
  /** For all changes. */
  readonly write: string;
  /** Additionally for lists, searches and the changes of all users. A client with it can export all users. @default - that of `read` */
  readonly list?: string | undefined;
  /** Additionally for histories of users. @default 'users:history' */
  readonly history?: string | undefined;
  /** Additionally for erasing a person. @default 'users:erase' */
  readonly erase?: string | undefined;
  /** For own records only. @default 'users:self' */
  readonly self?: string | undefined;
}

/** Callers send tokens of an OpenID Connect provider. */
export interface TokenAuth {
  /** The https URL of the issuer, exactly as in the `iss` claim. Must serve `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** Accepted values of the `aud` claim, or of `client_id` in tokens without `aud`. */
  readonly audience: string | string[];
  /** @default { read: 'users:read', write: 'users:write', history: 'users:history', erase: 'users:erase' } */
  readonly scopes?: Scopes | undefined;
}

/** Your own authorizer for REST. GraphQL has another URL, which API Gateway authorizers do not protect. */
export interface AuthorizerAuth {
  readonly authorizer: IHttpRouteAuthorizer;
  /** Scopes that routes require, if the authorizer checks tokens. @default - none */
  readonly scopes?: Scopes | undefined;
  /** Who may call GraphQL. */
  readonly graphql: 'iam' | TokenAuth;
}

/** Limits of API Gateway for REST requests. */
export interface Throttle {
  /** Requests per second, from 1 to 10000. @default 500 */
  readonly rate?: number | undefined;
  /** Burst, from 1 to 5000. @default 1000 */
  readonly burst?: number | undefined;
}

/** Throughput that a table serves at once, before it grows with its traffic. */
export interface WarmThroughput {
  readonly readUnitsPerSecond: number;
  readonly writeUnitsPerSecond: number;
}

/** Maximum request units per second of the table and its index. Requests above it are throttled. */
export interface MaxThroughput {
  /** @default 12000 */
  readonly readUnitsPerSecond?: number | undefined;
  /** @default 14000 */
  readonly writeUnitsPerSecond?: number | undefined;
}

export interface UsersTableProps {
  /**
   * A fixed name keeps a deploy from replacing a table with users by an empty one. Each service of a stack needs its own.
   * @default - the name of the stack, followed by -users
   */
  readonly tableName?: string | undefined;
  /** Encrypts the table. @default - a key that AWS owns */
  readonly encryptionKey?: IKey | undefined;
  /** Applied when the table leaves the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy | undefined;
  /** Whether DynamoDB rejects deleting the table. @default - true, unless removalPolicy is DESTROY */
  readonly deletionProtection?: boolean | undefined;
  /** @default - that of DynamoDB: 12000 reads and 4000 writes per second */
  readonly warmThroughput?: WarmThroughput | undefined;
  /** Caps the cost of an error or an attack. */
  readonly maxThroughput?: MaxThroughput | undefined;
  /** More props of the table. They override the props of this construct, except those that the service depends on. */
  readonly tableProps?:
    | Omit<
        TablePropsV2,
        | 'tableName'
        | 'partitionKey'
        | 'sortKey'
        | 'globalSecondaryIndexes'
        | 'localSecondaryIndexes'
        | 'timeToLiveAttribute'
        | 'dynamoStream'
        | 'billing'
        | 'encryption'
      >
    | undefined;
}

export interface UserManagementProps extends UsersTableProps, PlainProps {
  /**
   * Who may call: `'iam'` (signed requests), tokens of an issuer, your own authorizer, or `'none'` (everyone).
   * @default 'iam'
   */
  readonly auth?: 'iam' | 'none' | TokenAuth | AuthorizerAuth | undefined;
  /**
   * Accepts tokens of a Cognito user pool, instead of `auth`: an existing pool, or a `'new'` one. Adds a resource server with the scopes. A
   * new pool also gets a public client, the attribute `userPoolClient`.
   */
  readonly userPool?: IUserPool | 'new' | undefined;
  /** Clients of an existing `userPool` whose tokens are accepted. */
  readonly userPoolClientIds?: string[] | undefined;
  /** A `UsersTable` of another stack, or a restored table with its stream. @default - a new table */
  readonly table?: ITableV2 | undefined;
  /**
   * Encrypts table, event bus and webhook. The policy of an imported key must allow CloudWatch, CloudWatch Logs and, with
   * `events`, EventBridge.
   * @default - keys that AWS owns or manages
   */
  readonly encryptionKey?: IKey | undefined;
  /** Certificate of `domainName`, in us-east-1, as CloudFront requires. */
  readonly certificate?: ICertificate | undefined;
  /** Topic that alarms notify. @default - a new topic */
  readonly alarmTopic?: ITopic | undefined;
  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * Applied when table and logs leave the stack. DESTROY keeps nothing.
   * @default - table, logs and keys are retained; logs and keys not if the deploy that creates them fails
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
  readonly throttle?: Throttle | undefined;
  /** More props of the functions that answer requests. They override those of this construct. `timeout` is at least 6 seconds. */
  readonly functionProps?:
    | Pick<
        FunctionProps,
        | 'memorySize'
        | 'timeout'
        | 'environment'
        | 'ephemeralStorageSize'
        | 'layers'
        | 'insightsVersion'
        | 'applicationLogLevelV2'
      >
    | undefined;
  /** Thresholds of alarms, by their names in the runbook, such as `{ latency: 3000 }`. */
  readonly alarmThresholds?: { readonly [alarm: string]: number } | undefined;
  /** Whether the stack outputs URLs and names, such as `ApiUrl`. @default false */
  readonly outputs?: boolean | undefined;
  /** @default Architecture.ARM_64 */
  readonly architecture?: Architecture | undefined;
  /**
   * VPC of the functions. It needs a gateway endpoint for DynamoDB, a route to the token issuer and, with `events`, an endpoint for
   * EventBridge. `webhookUrl` needs routes to the URL, SQS and Secrets Manager. Without an endpoint for SQS, changes that the code cannot
   * handle block later ones instead of becoming dead letters.
   */
  readonly vpc?: IVpc | undefined;
  /** @default - the private subnets of `vpc` */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default - one for each function */
  readonly securityGroups?: ISecurityGroup[] | undefined;
  /** @internal Folder of the function bundles and the console. @default - beside the compiled code */
  readonly bundles?: string | undefined;
}
