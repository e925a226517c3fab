import type { FieldDeclaration } from '../../lib/users/fields/declaration.ts';

/** Generated from infra/settings/settings.ts. */
export interface PlainProps {
  /** Token claim that identifies the person, for the field declared with `subject`. @default 'sub' */
  readonly subjectClaim?: string | undefined;
  /** Token claim with the person's email address, for own records. @default 'email' */
  readonly emailClaim?: string | undefined;
  /** Token claim that is true for a verified email address, for own records. @default 'email_verified' */
  readonly emailVerifiedClaim?: string | undefined;
  /** Whether people can delete their own record, or have all their data erased. @default 'off' */
  readonly selfDelete?: 'off' | 'delete' | 'erase' | undefined;
  /** Whether a sign-in gives the person an existing record with their verified address. @default 'off' */
  readonly selfLink?: 'off' | 'verified-email' | undefined;
  /** Whether a sign-in updates the address of the record to the verified address of the token. @default false */
  readonly emailFollows?: boolean | undefined;
  /** Requests per second to each method and path of own records, all people together. @default 100 */
  readonly selfRate?: number | undefined;
  /** Token claim that lists the groups of a person. @default - `groups`, or `cognito:groups` with a user pool */
  readonly groupsClaim?: string | undefined;
  /**
   * Group that may read users, in addition to `writeGroup`.
   * @default - anyone who signs in; `users-read` with an existing pool or `selfSignUp`
   */
  readonly readGroup?: string | undefined;
  /**
   * Group that may change users.
   * @default - anyone who signs in; `users-write` with an existing pool or `selfSignUp`
   */
  readonly writeGroup?: string | undefined;
  /**
   * Redirect URLs after sign-in and sign-out for the client of a new `userPool`, in addition to `domainName`.
   * @default - none
   */
  readonly callbackUrls?: string[] | undefined;
  /**
   * Redirect URLs of your app after sign-in and sign-out. People can then register in a new `userPool` and use their
   * own records.
   * @default - none
   */
  readonly selfSignUp?: string[] | undefined;
  /**
   * Whether an existing `userPool` gets a public client, with which anyone in the pool can sign in. A new pool always
   * has one.
   * @default false
   */
  readonly userPoolClient?: boolean | undefined;
  /**
   * Host name for REST, GraphQL and console, served by CloudFront. Requires `certificate`. Not with signed requests.
   * @default - none
   */
  readonly domainName?: string | undefined;
  /** Origins that CORS allows, such as `https://app.example.com`, or `*`. @default - none */
  readonly corsOrigins?: string[] | undefined;
  /** REST requests per second, in bursts of twice as many, but at most 5,000. @default 500 */
  readonly throttleRate?: number | undefined;
  /**
   * What serves GraphQL. With a Function URL, each open subscription occupies an environment. An environment of a
   * Lambda Web Function (aws-cdk-lib 2.276) serves up to 128 requests and subscriptions.
   * @default 'function-url'
   */
  readonly subscriptions?: 'function-url' | 'web-function' | undefined;
  /** The account's quota: concurrent Lambda executions in this region. @default 10 */
  readonly concurrency?: number | undefined;
  /**
   * Open subscriptions, from 0 to 10000, each of which takes a concurrent execution. With a web function: per
   * environment.
   * @default - 40 percent of the `concurrency` that background functions leave, at most half of `graphqlConcurrency`;
   * 128 with a web function
   */
  readonly maxStreams?: number | undefined;
  /** Open subscriptions per caller. @default - half of `maxStreams` */
  readonly maxStreamsPerCaller?: number | undefined;
  /**
   * Concurrent GraphQL requests and streams, reserved for the function. Required by a Function URL without signed
   * requests.
   * @default - unlimited, with `auth=iam`
   */
  readonly graphqlConcurrency?: 'unlimited' | number | undefined;
  /** Whether responses state their duration and capacity units in `Server-Timing`. @default false */
  readonly serverTiming?: boolean | undefined;
  /** Whether CloudFront serves the console, `/docs` and `/openapi.json`. Not with signed requests. @default false */
  readonly console?: boolean | undefined;
  /**
   * Whether CloudFront logs requests to a bucket for 90 days. The logs hold IP addresses, paths and queries.
   * @default false
   */
  readonly siteLogs?: boolean | undefined;
  /** OAuth client id of the console at the issuer. @default - the first `audience` */
  readonly consoleClientId?: string | undefined;
  /**
   * Scopes that the console requests from the issuer, separated by spaces.
   * @default - `openid` and all scopes except `eraseScope` and `selfScope`
   */
  readonly consoleScope?: string | undefined;
  /** The https origin of the issuer's token endpoint. @default - the origin of `issuer` */
  readonly consoleTokenOrigin?: string | undefined;
  /** Your own fields of users, by name. @default - none */
  readonly fields?: { readonly [name: string]: FieldDeclaration } | undefined;
  /** Whether users can be members of groups, such as the companies of a B2B product. @default false */
  readonly groups?: boolean | undefined;
  /** Maximum groups of a user, from 1 to 20, with `groups`. @default 10 */
  readonly maxGroups?: number | undefined;
  /** Roles of members, with `groups`. The first one is the default. @default - none */
  readonly groupRoles?: string[] | undefined;
  /**
   * Token claim with the `externalId` of a group, for administrators of one group.
   * @default - groups have no administrators
   */
  readonly groupClaim?: string | undefined;
  /** Roles of the administrators of a group, with `groupClaim`. @default - none */
  readonly groupAdminRoles?: string[] | undefined;
  /** Whether lists can be sorted by name. @default true */
  readonly sortByName?: boolean | undefined;
  /** Whether a search finds users by the domain of their address. @default true */
  readonly domainSearch?: boolean | undefined;
  /** Whether changes of users and posts are sent to an event bus, the attribute `eventBus`. @default false */
  readonly events?: boolean | undefined;
  /**
   * Receives events by POST requests, signed with the secret in the attribute `webhookSecret`. Turns `events` on.
   * @default - none
   */
  readonly webhookUrl?: string | undefined;
  /**
   * Days that histories and lists of changes reach back, from 1 to 3650. Changes are kept for at least two days.
   * @default - histories: 24 hours, lists: 25; none with `maxStreams=0` and without `events`
   */
  readonly historyDays?: number | undefined;
  /** Days to keep daily backups of the table in AWS Backup. @default - no backups, only point-in-time recovery */
  readonly backupDays?: number | undefined;
  /**
   * ARN of an AWS Backup vault in another region or account, for a copy of each backup. Requires `backupDays`.
   * @default - none
   */
  readonly backupCopyVaultArn?: string | undefined;
  /** Receives an email when an alarm fires or ends, once the address is confirmed. @default - none */
  readonly alarmEmail?: string | undefined;
  /** URL of the runbook, linked from each alarm. @default - the path `infra/runbook.md` */
  readonly runbookUrl?: string | undefined;
  /** Whether CloudWatch has a dashboard of the service. @default false */
  readonly dashboard?: boolean | undefined;
  /** Whether new code gets a tenth of the requests for five minutes, then all. @default false */
  readonly canary?: boolean | undefined;
  /** @internal DynamoDB endpoint for sam local. */
  readonly databaseEndpoint?: string | undefined;
  /** Whether functions send traces to X-Ray. @default false */
  readonly tracing?: boolean | undefined;
}
