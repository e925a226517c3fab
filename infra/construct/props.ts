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

/** The names of the scopes in tokens of the issuer. A scope says what a client may do; groups say what a person may. */
export interface Scopes {
  /** Lists, gets, queries and subscriptions require it. */
  readonly read: string;
  /** Everything else requires it. */
  readonly write: string;
  /** Lists, searches and the changes of all users require it, too: with it, a client can export all users. @default - that of `read` */
  readonly list?: string | undefined;
  /** Histories of users require it, too. @default 'users:history' */
  readonly history?: string | undefined;
  /** The erasure of a person requires it, too. @default 'users:erase' */
  readonly erase?: string | undefined;
  /** Own records require it, and nothing else. @default 'users:self' */
  readonly self?: string | undefined;
}

/** Callers send tokens of an OpenID Connect provider. */
export interface TokenAuth {
  /** The https URL of the issuer, exactly as in the `iss` claim. It serves `/.well-known/openid-configuration`. */
  readonly issuer: string;
  /** The value, or values, that is accepted in the `aud` claim, or in `client_id` of tokens without `aud`. */
  readonly audience: string | string[];
  /** @default { read: 'users:read', write: 'users:write', history: 'users:history', erase: 'users:erase' } */
  readonly scopes?: Scopes | undefined;
}

/** An authorizer of yours protects REST. GraphQL has another URL, which no authorizer of API Gateway protects. */
export interface AuthorizerAuth {
  /** The authorizer of every route of the HTTP API. */
  readonly authorizer: IHttpRouteAuthorizer;
  /** The scopes that routes require, if the authorizer checks tokens. @default - none */
  readonly scopes?: Scopes | undefined;
  /** Who may call GraphQL. */
  readonly graphql: 'iam' | TokenAuth;
}

/** How many REST requests API Gateway accepts. */
export interface Throttle {
  /** Requests per second, from 1 to 10000. @default 500 */
  readonly rate?: number | undefined;
  /** The size of a burst, from 1 to 5000. @default 1000 */
  readonly burst?: number | undefined;
}

/** What a table can serve at once, before it has grown with its traffic. */
export interface WarmThroughput {
  readonly readUnitsPerSecond: number;
  readonly writeUnitsPerSecond: number;
}

/** Request units per second that the table and its index serve at most. Requests above are throttled. */
export interface MaxThroughput {
  /** @default 12000 */
  readonly readUnitsPerSecond?: number | undefined;
  /** @default 14000 */
  readonly writeUnitsPerSecond?: number | undefined;
}

export interface UsersTableProps {
  /**
   * CloudFormation never makes a second table of this name, so no deploy replaces a table with users by an empty one. A second service in
   * a stack needs another name.
   * @default - the name of the stack, followed by -users
   */
  readonly tableName?: string | undefined;
  /** Encrypts the table. @default - a key of DynamoDB */
  readonly encryptionKey?: IKey | undefined;
  /** What happens to the table when it leaves the stack. @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy | undefined;
  /** Whether DynamoDB rejects the deletion of the table. @default - true, unless removalPolicy is DESTROY */
  readonly deletionProtection?: boolean | undefined;
  /** @default - that of DynamoDB: 12000 reads and 4000 writes per second */
  readonly warmThroughput?: WarmThroughput | undefined;
  /** Limits the cost of an error or an attack. */
  readonly maxThroughput?: MaxThroughput | undefined;
  /** More props of the table. They replace the props that this construct sets. Keys, index, stream, billing and time to live belong to the service. */
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
   * Who may call: `'iam'` (signed requests), tokens of an issuer, an authorizer of yours, or `'none'` (everyone).
   * @default 'iam'
   */
  readonly auth?: 'iam' | 'none' | TokenAuth | AuthorizerAuth | undefined;
  /**
   * Callers send tokens of a Cognito user pool: of an existing one, or of one that is made with `'new'`. Either gets a
   * resource server with the scopes. A new one also gets a public client, which is the attribute `userPoolClient`, an existing one only if the
   * prop `userPoolClient` asks for it. It replaces `auth`.
   */
  readonly userPool?: IUserPool | 'new' | undefined;
  /** The ids of clients of an existing `userPool` whose tokens are accepted. */
  readonly userPoolClientIds?: string[] | undefined;
  /** A `UsersTable` of another stack, or a restored table with its stream. @default - a new table */
  readonly table?: ITableV2 | undefined;
  /**
   * Encrypts table, logs, queues, topic and event bus. The policy of an imported key must let CloudWatch, CloudWatch Logs and, with
   * `events`, EventBridge use it.
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey | undefined;
  /** The certificate of `domainName`, in us-east-1, as CloudFront demands. */
  readonly certificate?: ICertificate | undefined;
  /** The topic that alarms notify. @default - a new topic */
  readonly alarmTopic?: ITopic | undefined;
  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * What happens to table and logs when they leave the stack. With DESTROY nothing is kept.
   * @default - the table is retained, logs and keys also, unless the deploy that creates them fails
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
  readonly throttle?: Throttle | undefined;
  /** More props of the functions that answer requests. They replace the props that this construct sets. The timeout is at least 6 seconds. */
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
  /** Other thresholds of alarms, by the names of the runbook, such as `{ latency: 3000 }`. */
  readonly alarmThresholds?: { readonly [alarm: string]: number } | undefined;
  /** Whether the stack has outputs with URLs and names, such as `ApiUrl`. @default false */
  readonly outputs?: boolean | undefined;
  /** @default Architecture.ARM_64 */
  readonly architecture?: Architecture | undefined;
  /**
   * The functions run in this VPC, which needs a gateway endpoint for DynamoDB, with tokens a way to the issuer, and with `events` an
   * interface endpoint for EventBridge. `webhookUrl` needs a way to the URL, SQS and Secrets Manager. With one for SQS, changes that the code cannot handle are dead letters; without, they hold up those
   * after them until they are fixed.
   */
  readonly vpc?: IVpc | undefined;
  /** @default - the private subnets of `vpc` */
  readonly vpcSubnets?: SubnetSelection | undefined;
  /** @default - one for each function */
  readonly securityGroups?: ISecurityGroup[] | undefined;
  /** @internal The folder of the function bundles and the console. In the package it is beside the compiled code. */
  readonly bundles?: string | undefined;
}
