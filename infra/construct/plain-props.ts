import type { FieldDeclaration } from '../../lib/users/fields/declaration.ts';

/** This file is written from infra/settings.ts. */
export interface PlainProps {
  /** The claim of tokens that names the person, with a field that is declared with `subject`. @default 'sub' */
  readonly subjectClaim?: string | undefined;
  /** The claim of tokens with the email address of the person, for own records. @default 'email' */
  readonly emailClaim?: string | undefined;
  /** The claim of tokens that is true if the email address is verified, for own records. @default 'email_verified' */
  readonly emailVerifiedClaim?: string | undefined;
  /** Whether people can delete their own record, or have all of their data erased, for own records. @default 'off' */
  readonly selfDelete?: 'off' | 'delete' | 'erase' | undefined;
  /** Requests per second for own records, of all people together. @default 100 */
  readonly selfRate?: number | undefined;
  /** The claim of tokens that lists the groups of a person. @default - groups, or cognito:groups with `userPool` */
  readonly groupsClaim?: string | undefined;
  /**
   * The group whose members may read, beside those of `writeGroup`.
   * @default - everybody who signs in, or `users-read` with an existing pool
   */
  readonly readGroup?: string | undefined;
  /**
   * The group whose members may change users.
   * @default - everybody who signs in, or `users-write` with an existing pool
   */
  readonly writeGroup?: string | undefined;
  /**
   * URLs to which people return after they have signed in or out with the client of a new `userPool`, beside that of
   * `domainName`.
   * @default - none
   */
  readonly callbackUrls?: string[] | undefined;
  /** Whether people can register themselves in a new `userPool`, and use their own records. @default false */
  readonly selfSignUp?: boolean | undefined;
  /**
   * URLs of your app to which people return after they have signed in or out, with `selfSignUp`, which needs at least
   * one.
   * @default - none
   */
  readonly appUrls?: string[] | undefined;
  /**
   * Whether an existing `userPool` gets a public client, with which everybody in it can sign in. A new pool always has
   * one.
   * @default false
   */
  readonly userPoolClient?: boolean | undefined;
  /** REST, GraphQL and the console on one host, by CloudFront. It needs `certificate`; not with signed requests. */
  readonly domainName?: string | undefined;
  /** Origins allowed by CORS, such as `https://app.example.com`, or `*`. @default - none */
  readonly corsOrigins?: string[] | undefined;
  /**
   * What serves GraphQL: a function with a Function URL, where each open subscription occupies an environment, or a
   * Lambda Web Function, whose environments serve up to 128 requests and subscriptions each. It needs aws-cdk-lib
   * 2.276.
   * @default 'function-url'
   */
  readonly subscriptions?: 'function-url' | 'web-function' | undefined;
  /** Concurrent executions of Lambda in the account and region: the account's quota. @default 10 */
  readonly concurrency?: number | undefined;
  /**
   * Open subscriptions, from 0 to 10000; each takes one concurrent execution. With a web function, those of one
   * environment.
   * @default - 40 percent of what `concurrency` leaves beside background functions, or 128 with a web function
   */
  readonly maxStreams?: number | undefined;
  /** Open subscriptions of one caller. @default - half of maxStreams */
  readonly maxStreamsPerCaller?: number | undefined;
  /**
   * Concurrent GraphQL requests and streams, which are reserved for the function. A Function URL without signed
   * requests needs a value.
   * @default - unlimited
   */
  readonly graphqlConcurrency?: 'unlimited' | number | undefined;
  /** Whether responses state their duration and capacity units in `Server-Timing`. @default false */
  readonly serverTiming?: boolean | undefined;
  /** Whether CloudFront serves the console, `/docs` and `/openapi.json`; not with signed requests. @default false */
  readonly console?: boolean | undefined;
  /** Whether CloudFront logs requests to a bucket, for 90 days. The logs hold IP addresses and paths. @default false */
  readonly siteLogs?: boolean | undefined;
  /** The OAuth client id of the console at the issuer. @default - the first audience */
  readonly consoleClientId?: string | undefined;
  /**
   * The scopes that the console asks the issuer for, separated by spaces.
   * @default - openid and all but that to erase
   */
  readonly consoleScope?: string | undefined;
  /** The https origin of the issuer's token endpoint. @default - the origin of the issuer */
  readonly consoleTokenOrigin?: string | undefined;
  /** Your own fields of a user, by name. @default - none */
  readonly fields?: { readonly [name: string]: FieldDeclaration } | undefined;
  /** Whether lists can be sorted by name. @default true */
  readonly sortByName?: boolean | undefined;
  /** Whether a search finds users by the domain of their address. @default true */
  readonly domainSearch?: boolean | undefined;
  /** Whether changes of users and posts are sent to an event bus, which is the attribute `eventBus`. @default false */
  readonly events?: boolean | undefined;
  /**
   * The https URL to which events are POSTed, signed with the secret in the attribute `webhookSecret`; with `events`.
   * @default - none
   */
  readonly webhookUrl?: string | undefined;
  /**
   * So many days the changes of each user are kept, from 1 to 3650, but at least two.
   * @default - two days, or not at all with `maxStreams: 0` and without `events`
   */
  readonly historyDays?: number | undefined;
  /** Days to keep a daily backup of the table by AWS Backup. @default - no backups beyond point-in-time recovery */
  readonly backupDays?: number | undefined;
  /**
   * The ARN of a vault of AWS Backup in another region or account, which gets a copy of each backup, with `backupDays`.
   * @default - none
   */
  readonly backupCopyVaultArn?: string | undefined;
  /** An address that the topic notifies by email, once it is confirmed. @default - none */
  readonly alarmEmail?: string | undefined;
  /** The URL of the runbook, to which the descriptions of alarms link. @default - the path infra/runbook.md */
  readonly runbookUrl?: string | undefined;
  /** Whether CloudWatch has a dashboard of the service. @default false */
  readonly dashboard?: boolean | undefined;
  /** Whether new code gets a tenth of the requests for five minutes before it gets all. @default false */
  readonly canary?: boolean | undefined;
  /** @internal The address of a DynamoDB for sam local. */
  readonly databaseEndpoint?: string | undefined;
  /** Whether functions send traces to X-Ray. @default false */
  readonly tracing?: boolean | undefined;
}
