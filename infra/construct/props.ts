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

/** Names of OAuth scopes that tokens need. Scopes limit client applications. Groups limit people. */
export interface Scopes {
  /** For lists, single users, GraphQL queries and subscriptions. */
  readonly read: string;
  /** For all changes. */
  readonly write: string;
  /**
   * In addition to `read`, for lists, searches and the changes of all users. Allows exporting all users.
   * @default - the scope of `read`
   */
  readonly list?: string | undefined;
  /** In addition to `read`, for histories of users. @default 'users:history' */
  readonly history?: string | undefined;
  /** In addition to `write`, for erasing a person. @default 'users:erase' */
  readonly erase?: string | undefined;
  /** For people's own records. Grants nothing else. @default 'users:self' */
  readonly self?: string | undefined;
  /** For administrators of one group, with `groupClaim`. Grants nothing else. @default 'users:group' */
  readonly group?: string | undefined;
}

/** Accepts access tokens of an OpenID Connect provider. */
export interface TokenAuth {
  /** The https URL, exactly as in the `iss` claim. Must serve `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** Accepted values of the `aud` claim, or of `client_id` in tokens without `aud`. */
  readonly audience: string | string[];
  /** @default { read: 'users:read', write: 'users:write', history: 'users:history', erase: 'users:erase' } */
  readonly scopes?: Scopes | undefined;
}

/** Uses your own API Gateway authorizer for REST. Authorizers do not protect GraphQL, which has another URL, so `graphql` is required. */
export interface AuthorizerAuth {
  readonly authorizer: IHttpRouteAuthorizer;
  /** Scopes that routes require, if the authorizer checks tokens. @default - none */
  readonly scopes?: Pick<Scopes, 'read' | 'write'> | undefined;
  /** IAM signatures, or tokens of an issuer. */
  readonly graphql: 'iam' | TokenAuth;
}

/** Throughput that the table serves from the start. DynamoDB raises it when traffic grows. */
export interface WarmThroughput {
  readonly readUnitsPerSecond: number;
  readonly writeUnitsPerSecond: number;
}

/** Maximum request units per second of the table and of its index. DynamoDB throttles requests above the maximum. */
export interface MaxThroughput {
  /** @default 12000 */
  readonly readUnitsPerSecond?: number | undefined;
  /** @default 14000 */
  readonly writeUnitsPerSecond?: number | undefined;
}

export interface UsersTableProps {
  /**
   * Fixed, so a deploy that would replace the table by an empty one fails. Each service of a stack needs another name.
   * @default - the name of the stack, followed by -users
   */
  readonly tableName?: string | undefined;
  /** KMS key that encrypts the table. @default - a key that AWS owns */
  readonly encryptionKey?: IKey | undefined;
  /** Applies when the table or its stack is removed. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy | undefined;
  /** Whether DynamoDB rejects deleting the table. @default - true, unless removalPolicy is DESTROY */
  readonly deletionProtection?: boolean | undefined;
  /** @default - the throughput of new tables: 12000 reads and 4000 writes per second */
  readonly warmThroughput?: WarmThroughput | undefined;
  /** Limits the cost of an error or an attack. */
  readonly maxThroughput?: MaxThroughput | undefined;
  /**
   * More props of the table. Each one overrides the value that this construct sets. Without `replicas`: unique values
   * hold in one region only.
   */
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
        | 'replicas'
        | 'multiRegionConsistency'
        | 'witnessRegion'
      >
    | undefined;
}

export interface UserManagementProps extends UsersTableProps, PlainProps {
  /**
   * `'iam'` (signed requests), tokens of an issuer, your own authorizer, or `'none'` (everyone may call).
   * @default 'iam'
   */
  readonly auth?: 'iam' | 'none' | TokenAuth | AuthorizerAuth | undefined;
  /**
   * Accepts tokens of a Cognito user pool: an existing one, or a `'new'` one. Set this instead of `auth`. Adds a
   * resource server to the pool. A new pool also gets a public client, `userPoolClient`.
   */
  readonly userPool?: IUserPool | 'new' | undefined;
  /** Ids of clients of an existing `userPool` with accepted tokens. */
  readonly userPoolClientIds?: string[] | undefined;
  /** An existing table: a `UsersTable` of another stack, or a restored table, imported with its stream's ARN. @default - a new table */
  readonly table?: ITableV2 | undefined;
  /**
   * Encrypts a new table, event bus and webhook. An imported key's policy must allow CloudWatch, and for
   * `events` also EventBridge. EventBridge may send neither `aws:SourceAccount` nor `aws:SourceArn`.
   * @default - keys that AWS owns or manages
   */
  readonly encryptionKey?: IKey | undefined;
  /** For `domainName`. Must be in us-east-1, as CloudFront requires. */
  readonly certificate?: ICertificate | undefined;
  /**
   * Topic that alarms notify. The policy of an imported topic must allow `sns:Publish` to `cloudwatch.amazonaws.com`,
   * and with `backupDays` also to `events.amazonaws.com`. For a topic of the same app, `backupDays` adds both statements,
   * which replace the topic's default policy.
   * @default - a new topic
   */
  readonly alarmTopic?: ITopic | undefined;
  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * Applies when table and logs, or their stack, are removed. DESTROY deletes both.
   * @default - table, logs and keys are retained, but logs and keys are deleted if the deploy that creates them fails
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
  /**
   * More props of the functions that answer requests, except a web function. Each one overrides the value that this
   * construct sets. `timeout`: for REST only, at least 6 seconds.
   */
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
  /** Thresholds by names in the runbook, such as `{ latency: 3000 }`. */
  readonly alarmThresholds?: { readonly [alarm: string]: number } | undefined;
  /** Whether the stack outputs URLs and names, such as `ApiUrl`. @default false */
  readonly outputs?: boolean | undefined;
  /** @default Architecture.ARM_64 */
  readonly architecture?: Architecture | undefined;
  /**
   * Needs a gateway endpoint for DynamoDB and a route to the token issuer. `events` needs an endpoint for EventBridge.
   * `webhookUrl` needs routes to the URL, SQS and Secrets Manager. If SQS cannot be reached, changes that keep failing
   * block later changes.
   */
  readonly vpc?: IVpc | undefined;
  /** @default - the private subnets of `vpc` */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default - one for each function */
  readonly securityGroups?: ISecurityGroup[] | undefined;
  /** @internal Folder with the bundles of the functions and the console. @default - the folder `bundles` beside the compiled code */
  readonly bundles?: string | undefined;
}
