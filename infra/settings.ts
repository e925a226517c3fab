import * as z from 'zod';
import type { PlainProps } from './construct/plain-props.ts';
import { fieldDeclarations, listFaults } from './own-fields/declarations.ts';

/** The command line gives text, an environment a boolean. */
const onOrOff = z.union([z.boolean(), z.stringbool()]);
const integer = (min: number, max: number) => z.coerce.number().pipe(z.int().min(min).max(max));
const origin = z.union([
  z.literal('*'),
  z.url({ protocol: /^https?$/ }).refine((url) => URL.canParse(url) && url === new URL(url).origin),
]);
/** Cognito takes http for localhost only, and no fragment. */
const appUrl = z.url().refine((url) => {
  const { protocol, hostname, hash } = URL.parse(url) ?? {};
  return protocol !== undefined && hash === '' && (protocol !== 'http:' || hostname === 'localhost');
});
const scopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value), z.array(item));

/** CloudWatch accepts these. They are not taken from CDK, which would double the time in which `npm start` is ready. */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** The functions that read a setting in a variable. */
export type Readers = 'every function' | 'GraphQL' | 'the change log' | 'own records';

declare module 'zod' {
  interface GlobalMeta {
    /** What an operator should know of the setting beside its values (`description`), for settings.md. */
    effect?: string;
    /** The construct has a prop of this name and type, too, and this is its documentation. */
    prop?: string;
    /** These functions have a variable with the value of the setting: `historyDays` is HISTORY_DAYS. */
    variable?: Readers;
  }
}

/**
 * Every setting. settings.md and construct/plain-props.ts are written from this:
 * npm test -- test/infra/settings.test.ts --update
 */
export const settings = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
    .default('UserManagement')
    .meta({
      description: 'name of the stack, up to 64 letters, digits and hyphens, the first a letter',
      effect: 'An account can have several stacks, each with its own table and metrics.',
    }),
  account: z
    .string()
    .regex(/^\d{12}$/)
    .optional()
    .meta({
      description: 'number of the AWS account of the stack, 12 digits; that of the credentials if empty',
      effect: 'A deploy with credentials of another account is rejected. See [Environments](README.md#environments).',
    }),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/)
    .optional()
    .meta({ description: 'AWS region of the stack, such as eu-west-1; that of the credentials if empty' }),
  auth: z.enum(['iam', 'jwt', 'cognito', 'none']).default('iam').meta({
    description:
      'iam (signed requests only), jwt (tokens of the issuer for the audience), cognito (tokens of a user pool) or none (open to everyone)',
    effect:
      'With `none`, the synthesis prints a warning. See [Access](README.md#access) and [identity providers](identity-providers.md).',
  }),
  issuer: z
    .url({ protocol: /^https$/ })
    .optional()
    .meta({
      description: 'https URL of the token issuer (the iss claim), with auth=jwt',
      effect: 'It must serve `/.well-known/openid-configuration`.',
    }),
  audience: list(z.string().min(1)).default([]).meta({
    description:
      'value of the aud or client_id claim, with auth=jwt or userPoolId, or several values separated by commas',
    effect: '`client_id` counts in tokens without `aud`.',
  }),
  readScope: scopeName.default('users:read').meta({
    description: 'scope that a token needs to read, with auth=jwt',
    effect: 'Providers differ in the names they allow; see [identity providers](identity-providers.md).',
  }),
  writeScope: scopeName
    .default('users:write')
    .meta({ description: 'scope that a token needs to change something, with auth=jwt' }),
  listScope: scopeName.optional().meta({
    description: 'scope that a token needs to list and search users, with auth=jwt; that of readScope if empty',
    effect:
      'A client that may list users can export all of them. Tokens with `readScope` alone then read only users whom they name by id or unique value. Rejected with another `auth`: who may read may list.',
  }),
  historyScope: scopeName
    .default('users:history')
    .meta({ description: 'scope that a token needs to read histories, with auth=jwt' }),
  eraseScope: scopeName
    .default('users:erase')
    .meta({ description: 'scope that a token needs to erase a person, beside writeScope, with auth=jwt' }),
  selfScope: scopeName.default('users:self').meta({
    description: 'scope that a token needs for the own record of its person, with auth=jwt',
    effect: 'It gives no other right. See [Own records](../lib/features/me/README.md).',
  }),
  subjectClaim: z.string().min(1).default('sub').meta({
    description: 'claim of tokens that names the person, with a field that is declared with subject',
    effect: 'Entra ID: `oid`, because its `sub` differs between clients.',
    prop: 'The claim of tokens that names the person, with a field that is declared with `subject`.',
    variable: 'own records',
  }),
  emailClaim: z.string().min(1).default('email').meta({
    description: 'claim of tokens with the email address of the person, for own records',
    prop: 'The claim of tokens with the email address of the person, for own records.',
    variable: 'own records',
  }),
  emailVerifiedClaim: z.string().min(1).default('email_verified').meta({
    description: 'claim of tokens that is true if the email address is verified, for own records',
    prop: 'The claim of tokens that is true if the email address is verified, for own records.',
    variable: 'own records',
  }),
  selfDelete: z.enum(['off', 'delete', 'erase']).default('off').meta({
    description:
      'off, delete or erase: whether people can delete their own record, or have all of their data erased, for own records',
    effect: 'A token whose `auth_time` is older than 15 minutes is rejected.',
    prop: 'Whether people can delete their own record, or have all of their data erased, for own records.',
    variable: 'own records',
  }),
  selfRate: integer(1, 10_000).default(100).meta({
    description: 'requests per second for own records, of all people together, from 1 to 10000',
    effect: 'Above it 429. Each person can also make 60 changes an hour.',
    prop: 'Requests per second for own records, of all people together.',
  }),
  groupsClaim: z.string().min(1).optional().meta({
    description:
      'claim of tokens that lists the groups of a person; groups, or with auth=cognito cognito:groups, if empty',
    effect: 'Both APIs check it. A client that acts on its own behalf (its `client_id` is its `sub`) needs no group.',
    prop: 'The claim of tokens that lists the groups of a person. @default - groups, or cognito:groups with `userPool`',
  }),
  readGroup: z.string().min(1).optional().meta({
    description:
      'group whose members may read, beside those of writeGroup; everybody who signs in, or with userPoolId users-read, if empty',
    effect: 'See [who may do what](identity-providers.md#who-may-do-what).',
    prop: 'The group whose members may read, beside those of `writeGroup`. @default - everybody who signs in, or `users-read` with an existing pool',
  }),
  writeGroup: z.string().min(1).optional().meta({
    description:
      'group whose members may change users; everybody who signs in, or with userPoolId users-write, if empty',
    effect: 'Set it wherever people can register themselves.',
    prop: 'The group whose members may change users. @default - everybody who signs in, or `users-write` with an existing pool',
  }),
  callbackUrls: list(appUrl).default([]).meta({
    description:
      'URLs to which people return after they have signed in or out with the client of a new pool, separated by commas, beside that of domainName; http://localhost:3000/ for a trial',
    effect: 'A new pool needs these or `domainName`.',
    prop: 'URLs to which people return after they have signed in or out with the client of a new `userPool`, beside that of `domainName`. @default - none',
  }),
  selfSignUp: onOrOff.default(false).meta({
    description:
      'on or off: whether people can register themselves in the user pool of the stack, and use their own records, with auth=cognito',
    effect:
      'It adds a client for people, the groups of operators, and a function that completes tokens. See [Cognito](../lib/features/me/providers.md#cognito).',
    prop: 'Whether people can register themselves in a new `userPool`, and use their own records.',
  }),
  appUrls: list(appUrl).default([]).meta({
    description:
      'URLs of your app to which people return after they have signed in or out, separated by commas, with selfSignUp; http://localhost:3000/ for a trial',
    effect:
      '`selfSignUp` needs at least one. A URL must be https, or http on localhost, or that of a mobile app, such as `myapp://callback`.',
    prop: 'URLs of your app to which people return after they have signed in or out, with `selfSignUp`, which needs at least one. @default - none',
  }),
  userPoolClient: onOrOff.default(false).meta({
    description:
      'on or off: whether the stack adds a public client, with which everybody in the pool of userPoolId can sign in; a new pool always has one',
    effect: 'Without it, `audience` lists the clients of the pool whose tokens are accepted.',
    prop: 'Whether an existing `userPool` gets a public client, with which everybody in it can sign in. A new pool always has one.',
  }),
  userPoolId: z
    .string()
    .regex(/^[a-z0-9-]+_[A-Za-z0-9]+$/)
    .optional()
    .meta({
      description: 'id of a Cognito user pool in the region of the stack, with auth=cognito; a new pool if empty',
      effect: 'The stack adds a resource server with the scopes, and no client, unless `userPoolClient` is on.',
    }),
  domainName: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/)
    .optional()
    .meta({
      description: 'host name, such as users.example.com, under which CloudFront serves REST, GraphQL and console',
      effect: 'Not with auth=iam. Point a CNAME or alias record to the printed `DomainTarget`.',
      prop: 'REST, GraphQL and the console on one host, by CloudFront. It needs `certificate`; not with signed requests.',
    }),
  certificateArn: z
    .string()
    .regex(/^arn:[^:]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/)
    .optional()
    .meta({ description: 'ARN of the certificate of domainName in us-east-1, as CloudFront demands' }),
  corsOrigins: list(origin).default([]).meta({
    description: 'origins allowed by CORS, such as https://app.example.com, separated by commas, or *',
    effect: 'Credentials are never allowed.',
    prop: 'Origins allowed by CORS, such as `https://app.example.com`, or `*`. @default - none',
  }),
  architecture: z
    .enum(['arm64', 'x86_64'])
    .default('arm64')
    .meta({ description: 'arm64 or x86_64, the processor of the functions', effect: 'The prices are those of arm64.' }),
  logRetentionDays: integer(1, 3653)
    .refine((days) => LOG_RETENTION_DAYS.includes(days))
    .default(30)
    .meta({
      description: 'days to keep logs: 1, 3, 5, 7, 14, 30, 60, 90, 180, 365 or another value that CloudWatch accepts',
    }),
  throttleRate: integer(1, 10_000).default(500).meta({
    description: 'REST requests per second, from 1 to 10000',
    effect: 'Above it 429. A Function URL has no such limit: use `graphqlConcurrency` for GraphQL.',
  }),
  throttleBurst: integer(1, 5_000)
    .default(1_000)
    .meta({ description: 'size of a burst of REST requests, from 1 to 5000' }),
  subscriptions: z.enum(['function-url', 'web-function']).default('function-url').meta({
    description:
      'function-url, where each open subscription occupies a Lambda environment, or web-function, whose environments serve up to 128 requests and subscriptions each',
    effect:
      'Either serves all of GraphQL. With a web function, streams last up to 870 s; see [Web function](README.md#web-function). Another value gives another URL.',
    prop: 'What serves GraphQL: a function with a Function URL, where each open subscription occupies an environment, or a Lambda Web Function, whose environments serve up to 128 requests and subscriptions each. It needs aws-cdk-lib 2.276.',
  }),
  concurrency: integer(10, 1_000_000).default(10).meta({
    description: 'concurrent executions of Lambda in the account and region, from 10, which new accounts have',
    effect:
      'Look it up: `aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions`. It decides the default of `maxStreams`. See [Quotas](README.md#quotas).',
    prop: "Concurrent executions of Lambda in the account and region: the account's quota.",
  }),
  maxStreams: integer(0, 10_000).optional().meta({
    description:
      'open subscriptions, from 0 to 10000, each of which takes one concurrent execution; those of one environment with a web function; if empty, 40 percent of what concurrency leaves beside background functions, or 128 with a web function',
    effect:
      'Above it 503; with 0, subscriptions are turned off. Each environment of a web function counts its own, of which Lambda allows 128: `graphqlConcurrency` limits the environments.',
    prop: 'Open subscriptions, from 0 to 10000; each takes one concurrent execution. With a web function, those of one environment. @default - 40 percent of what `concurrency` leaves beside background functions, or 128 with a web function',
    variable: 'GraphQL',
  }),
  maxStreamsPerCaller: integer(1, 10_000).optional().meta({
    description:
      'open subscriptions of one caller, from 1 to 10000, counted as maxStreams; half of maxStreams if empty',
    effect: 'Above it 429. Raise it to `maxStreams` if one backend holds all subscriptions.',
    prop: 'Open subscriptions of one caller. @default - half of maxStreams',
    variable: 'GraphQL',
  }),
  graphqlConcurrency: z
    .union([z.literal('unlimited'), integer(1, 10_000)])
    .optional()
    .meta({
      description:
        'concurrent GraphQL requests and streams, from 1 to 10000, well above maxStreams, or unlimited; needed with a Function URL that is open, that is without auth=iam',
      effect:
        'It is reserved for the function and is its limit; above it 429. The quota must leave 100 to the other functions. A new account has 10, so it can only take `unlimited`.',
      prop: 'Concurrent GraphQL requests and streams, which are reserved for the function. A Function URL without signed requests needs a value. @default - unlimited',
    }),
  maxReadUnits: integer(1, 1_000_000_000).default(12_000).meta({
    description: 'read units per second of the table at most, on demand',
    effect:
      'Above it requests are throttled, so that an error or an attack cannot cost more than $5.40 an hour in us-east-1. Enough for 12,000 gets a second.',
  }),
  maxWriteUnits: integer(1, 1_000_000_000).default(14_000).meta({
    description: 'write units per second of the table at most, on demand',
    effect:
      'Above it requests are throttled, so that an error or an attack cannot cost more than $31.50 an hour in us-east-1. The directory takes 1,000 creates a second, which need fewer.',
  }),
  serverTiming: onOrOff.default(false).meta({
    description: 'on or off: whether responses state their duration and capacity units in Server-Timing',
    effect: 'Every caller can see it.',
    prop: 'Whether responses state their duration and capacity units in `Server-Timing`.',
    variable: 'every function',
  }),
  console: onOrOff.default(false).meta({
    description:
      'on or off: whether CloudFront serves the console and the API reference; not with auth=iam, which browsers cannot use',
    effect:
      'CloudFront serves the console, `/docs` and `/openapi.json` from a private bucket, and the APIs under the same origin. It has no fixed price.',
    prop: 'Whether CloudFront serves the console, `/docs` and `/openapi.json`; not with signed requests.',
  }),
  siteLogs: onOrOff.default(false).meta({
    description:
      'on or off: whether CloudFront logs the requests of console and domainName to a bucket of the stack, for 90 days',
    effect: 'The logs hold IP addresses and paths, which may contain ids and addresses: see [erase.md](erase.md).',
    prop: 'Whether CloudFront logs requests to a bucket, for 90 days. The logs hold IP addresses and paths.',
  }),
  consoleClientId: z.string().optional().meta({
    description: 'OAuth client id of the console at the issuer, with auth=jwt; the first audience if empty',
    effect:
      'The console signs in at the issuer (authorization code with PKCE): register a public client there with the printed `ConsoleUrl` as redirect URL, also for signing out, and the scopes `users:read`, `users:write` and `users:history`.',
    prop: 'The OAuth client id of the console at the issuer. @default - the first audience',
  }),
  consoleScope: z.string().min(1).optional().meta({
    description:
      'scopes that the console asks the issuer for, separated by spaces; openid and all but that to erase if empty',
    effect: 'Some providers take other names in requests than they put into tokens, e.g. Entra ID.',
    prop: 'The scopes that the console asks the issuer for, separated by spaces. @default - openid and all but that to erase',
  }),
  consoleTokenOrigin: z
    .url({ protocol: /^https$/ })
    .refine((url) => URL.canParse(url) && url === new URL(url).origin)
    .optional()
    .meta({
      description:
        'https origin of the token endpoint of the issuer, to which the console may connect; that of the issuer if empty',
      effect: 'Set it where that is another than the origin of the issuer, e.g. with Cognito or Google.',
      prop: "The https origin of the issuer's token endpoint. @default - the origin of the issuer",
    }),
  fields: fieldDeclarations.default({}).meta({
    description: "an object with the declarations of a team's own fields of users by name, or such an object as JSON",
    effect: 'Users have these fields in all APIs. See [Own fields](own-fields/README.md).',
    prop: 'Your own fields of a user, by name. @default - none',
  }),
  sortByName: onOrOff.default(true).meta({
    description: 'on or off: whether lists can be sorted by name',
    effect:
      'It costs 2 write units per creation, and 4 per change of a name. See [Filters](../lib/features/filters/README.md#what-it-costs).',
    prop: 'Whether lists can be sorted by name.',
    variable: 'every function',
  }),
  domainSearch: onOrOff.default(true).meta({
    description: 'on or off: whether a search finds users by the domain of their address, such as @example.org',
    effect:
      'It costs 2 write units per creation and deletion, and 4 per change of a domain. Turn it off where most people share few domains: a domain takes [500 new users a second](../lib/features/search/README.md#limits).',
    prop: 'Whether a search finds users by the domain of their address.',
    variable: 'every function',
  }),
  events: onOrOff.default(false).meta({
    description: 'on or off: whether changes of users and posts are sent to an event bus of EventBridge',
    effect: 'Other systems receive them as CloudEvents, by rules and webhooks. See [Events](events.md).',
    prop: 'Whether changes of users and posts are sent to an event bus, which is the attribute `eventBus`.',
  }),
  webhookUrl: z
    .url({ protocol: /^https$/ })
    .refine((url) => {
      const { username, password, hash } = URL.parse(url) ?? {};
      return `${username}${password}${hash}` === '';
    })
    .optional()
    .meta({
      description: 'https URL, without user and password, to which events are POSTed with a signature; with events=on',
      effect:
        'A function signs, retries for a day and keeps what failed. See [Signed webhooks](events.md#signed-webhooks).',
      prop: 'The https URL to which events are POSTed, signed with the secret in the attribute `webhookSecret`; with `events`. @default - none',
    }),
  historyDays: integer(1, 3650).optional().meta({
    description:
      'days to keep the changes of each user, from 1 to 3650, but at least two; two, if something reads them, if empty',
    effect:
      'Lists of changes (`userChanges`) reach back as far, but at least 25 hours. With `maxStreams=0`, `events=off` and no `historyDays`, no changes are kept, which saves 2 write units each. See [the change log](../lib/features/change-log/README.md#costs).',
    prop: 'So many days the changes of each user are kept, from 1 to 3650, but at least two. @default - two days, or not at all with `maxStreams: 0` and without `events`',
    variable: 'the change log',
  }),
  backupDays: integer(1, 36_500).optional().meta({
    description:
      'days to keep a daily backup of the table by AWS Backup, from 1 to 36500; no backups beyond point-in-time recovery if empty',
    effect:
      'A backup costs $0.10 per GB and month. Erasures are remembered for as long, as a restore brings people back. See [Backups](runbook.md#backups).',
    prop: 'Days to keep a daily backup of the table by AWS Backup. @default - no backups beyond point-in-time recovery',
    variable: 'every function',
  }),
  backupCopyVaultArn: z
    .string()
    .regex(/^arn:[^:]+:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]+$/)
    .optional()
    .meta({
      description:
        'ARN of a vault of AWS Backup in another region or account, which gets a copy of each backup, with backupDays',
      effect: 'The vault must allow it: `backup:CopyIntoBackupVault`.',
      prop: 'The ARN of a vault of AWS Backup in another region or account, which gets a copy of each backup, with `backupDays`. @default - none',
    }),
  alarmEmail: z.email().optional().meta({
    description: 'email address that is notified of alarms, in addition to the topic',
    effect: 'It is notified when an alarm fires or ends, once the address is confirmed.',
    prop: 'An address that the topic notifies by email, once it is confirmed. @default - none',
  }),
  runbookUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'URL of your copy of the runbook, without a fragment; the path infra/runbook.md if empty',
      effect: 'The description of each alarm links to its heading in it.',
      prop: 'The URL of the runbook, to which the descriptions of alarms link. @default - the path infra/runbook.md',
    }),
  dashboard: onOrOff.default(false).meta({
    description: 'on or off: whether CloudWatch has a dashboard of alarms, their metrics, traffic and capacity',
    effect: 'The first three of an account are free, each further one $3 a month.',
    prop: 'Whether CloudWatch has a dashboard of the service.',
  }),
  canary: onOrOff.default(false).meta({
    description: 'on or off: whether new code gets a tenth of the requests for five minutes before it gets all',
    effect: 'An alarm rolls the new code back. `-c canary=off` switches one deploy at once; URLs stay.',
    prop: 'Whether new code gets a tenth of the requests for five minutes before it gets all.',
  }),
  tableName: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/)
    .optional()
    .meta({
      description:
        'name of the table, 3 to 255 letters, digits, hyphens, dots and underscores; <stackName>-users if empty',
      effect:
        'CloudFormation never makes a second table of this name, so no deploy replaces a table with users by an empty one. See [The table](README.md#the-table).',
    }),
  restoredStream: z
    .string()
    .regex(/^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/)
    .optional()
    .meta({
      description: 'ARN of the stream of a restored table, which replaces the table of the stack',
      effect: 'The functions use that table; see [Restore](runbook.md#restore).',
    }),
  databaseEndpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: 'http URL of the DynamoDB that the functions use under sam local; never for a deploy',
      effect: '`sam local` passes only variables that the template defines.',
      prop: '@internal The address of a DynamoDB for sam local.',
    }),
  deletionProtection: onOrOff.default(true).meta({
    description:
      'on or off: whether DynamoDB rejects the deletion of the table, and CloudFormation that of the stack; off is for trials',
    effect: 'Without it, a first deploy that fails deletes the table.',
  }),
  tracing: onOrOff.default(false).meta({
    description: 'on or off: whether the functions send traces to X-Ray',
    effect: 'X-Ray takes one request per second and 5 percent of the rest, which for little traffic is nearly all.',
    prop: 'Whether functions send traces to X-Ray.',
  }),
  customerManagedKey: onOrOff.default(false).meta({
    description:
      'on or off: whether table, event bus and webhook (secret, queues) are encrypted with a KMS key of the stack',
    effect:
      'The key is rotated yearly. Logs, other queues and alarms do not depend on it, as they tell when it is disabled.',
  }),
});

export type Settings = z.infer<typeof settings>;

/** The settings of an environment that are not the default. */
export type EnvironmentSettings = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

export type Environments = { readonly default: EnvironmentSettings; readonly [name: string]: EnvironmentSettings };

/** The props of the construct that are settings. */
export const plainPropNames = listSettings(({ prop }) => prop !== undefined);

/** The settings in the variables of these functions. */
export const listVariables = (readers: Readers) => listSettings(({ variable }) => variable === readers);

/** `historyDays` is HISTORY_DAYS. */
export const toVariableName = (setting: string) => setting.replace(/[A-Z]/g, '_$&').toUpperCase();

function listSettings(matches: (meta: z.GlobalMeta) => boolean): (keyof PlainProps)[] {
  const names = Object.keys(settings.shape) as (keyof PlainProps)[];
  return names.filter((name) => matches(settings.shape[name].meta() ?? {}));
}

/** Explains an invalid setting to the operator in one sentence, and each fault in declarations of fields in another. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** The context keys of CDK contain colons, slashes and the like; those of this project do not. */
const OWN_KEY = /^[A-Za-z]\w*$/;

const listGiven = (context: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(context).filter(([name, value]) => OWN_KEY.test(name) && value !== '' && value !== undefined),
  );

/** Reads the settings of an environment, or those among the keys of a CDK context. Throws SettingError. */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = listGiven(context);
  requireKnown(given);
  const result = settings.safeParse(given);
  if (!result.success) throw new SettingError(describeIssue(result.error.issues[0], context));
  requireTokenSettings(result.data);
  return result.data;
}

/** `npm start` applies these, and `fields`. */
export const localSettings = settings.pick({
  readScope: true,
  writeScope: true,
  listScope: true,
  historyScope: true,
  eraseScope: true,
  selfScope: true,
  subjectClaim: true,
  emailClaim: true,
  emailVerifiedClaim: true,
  selfDelete: true,
  groupsClaim: true,
  readGroup: true,
  writeGroup: true,
  corsOrigins: true,
  sortByName: true,
  domainSearch: true,
  maxStreams: true,
  maxStreamsPerCaller: true,
  historyDays: true,
});

export type LocalSettings = z.infer<typeof localSettings>;

/**
 * Reads the settings that this machine applies. The others, which a deploy may get from its command line, are not checked. Throws
 * SettingError.
 */
export function readLocalSettings(context: Record<string, unknown>): LocalSettings {
  const given = listGiven(context);
  requireKnown(given);
  const result = localSettings.strip().safeParse(given);
  if (!result.success) throw new SettingError(describeIssue(result.error.issues[0], context));
  return result.data;
}

/** Returns the names of the settings whose values are not the defaults. */
export function listChanged(context: Record<string, unknown>): (keyof Settings)[] {
  const defaults: Record<string, unknown> = settings.parse({});
  const names = Object.keys(settings.shape) as (keyof Settings)[];
  const given = listGiven(context);
  return names.filter((name) => {
    if (!(name in given)) return false;
    const { success, data } = settings.shape[name].safeParse(given[name]);
    return !success || JSON.stringify(data) !== JSON.stringify(defaults[name]);
  });
}

function requireKnown(given: Record<string, unknown>): void {
  const unknown = Object.keys(given).filter((name) => !(name in settings.shape));
  if (unknown.length > 0)
    throw new SettingError(
      `Unknown setting ${unknown.join(', ')}; the settings are ${Object.keys(settings.shape).join(', ')}.`,
    );
}

function requireTokenSettings({ auth, issuer, audience, listScope, userPoolId, userPoolClient }: Settings): void {
  for (const [name, value] of Object.entries({ issuer, audience: audience[0] })) {
    if (auth === 'jwt' && value === undefined)
      throw new SettingError(`The setting ${name} is missing; expected: ${describeSetting(name)}.`);
    if (auth !== 'jwt' && value !== undefined && !(name === 'audience' && userPoolId))
      throw new SettingError(`The setting ${name} requires auth=jwt, but auth is ${auth}.`);
  }
  if (listScope && auth !== 'jwt')
    throw new SettingError(`The setting listScope requires auth=jwt, but auth is ${auth}.`);
  if (userPoolId && !userPoolClient && audience.length === 0)
    throw new SettingError(
      'The setting userPoolId requires audience, the ids of clients of the pool whose tokens are accepted, or userPoolClient=on, with which everybody in the pool can sign in.',
    );
  if (userPoolId && auth !== 'cognito')
    throw new SettingError(`The setting userPoolId requires auth=cognito, but auth is ${auth}.`);
}

export const describeSetting = (name: string) => settings.shape[name as keyof Settings].description;

function describeIssue(issue: z.core.$ZodIssue | undefined, context: Record<string, unknown>): string {
  const name = String(issue?.path[0]);
  if (name === 'fields') return listFaults(context.fields).join('\n');
  return `The setting ${name} is ${JSON.stringify(context[name])}; expected: ${describeSetting(name)}.`;
}
