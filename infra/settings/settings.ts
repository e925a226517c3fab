import * as z from 'zod';
import type { PlainProps } from '../construct/plain-props.ts';
import { fieldDeclarations, listIssues } from '../own-fields/declarations.ts';

/** `-c` passes text, and environments.ts passes booleans. */
const onOrOff = z.union([z.boolean(), z.stringbool()]);
const integer = (min: number, max: number) => z.coerce.number().pipe(z.int().min(min).max(max));
const origin = z.union([
  z.literal('*'),
  z.url({ protocol: /^https?$/ }).refine((url) => URL.canParse(url) && url === new URL(url).origin),
]);
/** Cognito accepts http only for localhost, and no fragment. */
const appUrl = z.url().refine((url) => {
  const { protocol, hostname, hash } = URL.parse(url) ?? {};
  return protocol !== undefined && hash === '' && (protocol !== 'http:' || hostname === 'localhost');
});
const scopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value), z.array(item));
const roleNames = list(z.string().regex(/^[A-Za-z][\w-]{0,31}$/)).refine(
  (roles) => roles.length > 0 && new Set(roles).size === roles.length,
);

/** CloudWatch's values. Importing them from CDK would double the start time of `npm start`. */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

export type Readers = 'every function' | 'GraphQL' | 'the change log' | 'own records';

declare module 'zod' {
  interface GlobalMeta {
    values?: string;
    /** Text for an empty setting in README.md and in `@default`. */
    unset?: string;
    /** JSDoc of the construct's prop, if there is one. */
    prop?: string;
    /** Functions that get the setting in an environment variable, such as HISTORY_DAYS. */
    variable?: Readers;
  }
}

/** Source of README.md and construct/plain-props.ts: npm test -- test/infra/settings/settings.test.ts --update */
export const settings = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
    .default('UserManagement')
    .meta({
      values: 'up to 64 letters, digits and hyphens, the first a letter',
      description: 'Name of the stack.',
    }),
  account: z
    .string()
    .regex(/^\d{12}$/)
    .optional()
    .meta({
      values: '12 digits',
      description: 'A deploy with credentials of another account fails.',
      unset: 'from the credentials',
    }),
  region: z
    .string()
    .regex(/^[a-z]{2,}(-[a-z]+)+-\d$/)
    .optional()
    .meta({
      values: 'an AWS region, such as eu-west-1',
      description: 'Region of the stack.',
      unset: 'from the credentials',
    }),
  auth: z.enum(['iam', 'jwt', 'cognito', 'none']).default('iam').meta({
    values: 'iam, jwt, cognito or none',
    description:
      '`iam`: signed requests. `jwt`: tokens of `issuer`. `cognito`: tokens of a user pool. `none`: open to everyone. See [access](../access.md) and [identity providers](../identity-providers.md).',
  }),
  issuer: z
    .url({ protocol: /^https$/ })
    .optional()
    .meta({
      values: 'an https URL',
      description: 'Token issuer (`iss`), with `auth=jwt`. Must serve `/.well-known/openid-configuration`.',
    }),
  audience: list(z.string().min(1)).default([]).meta({
    values: 'one or more values',
    description: 'Accepted `aud` of tokens (or `client_id`, without `aud`), with `auth=jwt` or `userPoolId`.',
  }),
  readScope: scopeName.default('users:read').meta({
    values: 'a scope name',
    description: 'Scope for reading users. Some [providers](../identity-providers.md) restrict names.',
  }),
  writeScope: scopeName
    .default('users:write')
    .meta({ values: 'a scope name', description: 'Scope for changing users.' }),
  listScope: scopeName.optional().meta({
    values: 'a scope name',
    description:
      'Scope for [lists and searches](../identity-providers.md#who-may-do-what), with `auth=jwt`. Tokens with only `readScope` then read single users.',
    unset: '`readScope`',
  }),
  historyScope: scopeName
    .default('users:history')
    .meta({ values: 'a scope name', description: 'Scope for reading histories.' }),
  eraseScope: scopeName.default('users:erase').meta({
    values: 'a scope name',
    description: 'Scope for erasing a person, beside `writeScope`.',
  }),
  selfScope: scopeName.default('users:self').meta({
    values: 'a scope name',
    description: "Scope for one's [own record](../../lib/features/me/README.md).",
  }),
  groupScope: scopeName.default('users:group').meta({
    values: 'a scope name',
    description: 'Scope for [administrators of one group](../../lib/features/my-group/README.md), with `groupClaim`.',
    variable: 'GraphQL',
  }),
  subjectClaim: z.string().min(1).default('sub').meta({
    values: 'a claim name',
    description: 'Token claim that identifies the person, for the field declared with `subject`. Entra ID: `oid`.',
    prop: 'Token claim that identifies the person, for the field declared with `subject`.',
    variable: 'own records',
  }),
  emailClaim: z.string().min(1).default('email').meta({
    values: 'a claim name',
    description: "Token claim with the person's email address, for own records.",
    prop: "Token claim with the person's email address, for own records.",
    variable: 'own records',
  }),
  emailVerifiedClaim: z.string().min(1).default('email_verified').meta({
    values: 'a claim name',
    description: 'Token claim that is true for a verified email address, for own records.',
    prop: 'Token claim that is true for a verified email address, for own records.',
    variable: 'own records',
  }),
  selfDelete: z.enum(['off', 'delete', 'erase']).default('off').meta({
    values: 'off, delete or erase',
    description:
      '`delete`: people can delete their own record. `erase`: they can have all their data erased. An `auth_time` older than 15 minutes is rejected.',
    prop: 'Whether people can delete their own record, or have all their data erased.',
    variable: 'own records',
  }),
  selfLink: z.enum(['off', 'verified-email']).default('off').meta({
    values: 'off or verified-email',
    description:
      '`verified-email`: a sign-in gives the person the existing record with their verified address, unless it ever had a subject. Read [the risks](../../lib/features/me/providers.md#link-records-and-follow-addresses) first.',
    prop: 'Whether a sign-in gives the person an existing record with their verified address.',
    variable: 'own records',
  }),
  emailFollows: onOrOff.default(false).meta({
    values: 'on or off',
    description:
      '`on`: a sign-in updates the address of the record to the verified address of the token. Read [the risks](../../lib/features/me/providers.md#link-records-and-follow-addresses) first.',
    prop: 'Whether a sign-in updates the address of the record to the verified address of the token.',
    variable: 'own records',
  }),
  selfRate: integer(1, 10_000).default(100).meta({
    values: '1 to 10000',
    description:
      'Requests per second to each method and path of own records, all people together, in bursts of at most 5,000; above it 429. GraphQL has no such limit.',
    prop: 'Requests per second to each method and path of own records, all people together.',
  }),
  groupsClaim: z.string().min(1).optional().meta({
    values: 'a claim name',
    description: 'Token claim that lists the groups of a person.',
    unset: '`groups`, or `cognito:groups` with a user pool',
    prop: 'Token claim that lists the groups of a person.',
  }),
  readGroup: z.string().min(1).optional().meta({
    values: 'a group name',
    description: '[Group](../identity-providers.md#who-may-do-what) that may read users, in addition to `writeGroup`.',
    unset: 'anyone who signs in; `users-read` with an existing pool or `selfSignUp`',
    prop: 'Group that may read users, in addition to `writeGroup`.',
  }),
  writeGroup: z.string().min(1).optional().meta({
    values: 'a group name',
    description: 'Group that may change users. Set it if people can register themselves.',
    unset: 'anyone who signs in; `users-write` with an existing pool or `selfSignUp`',
    prop: 'Group that may change users.',
  }),
  callbackUrls: list(appUrl).default([]).meta({
    values: 'URLs: https, http on localhost, or of a mobile app',
    description:
      'Redirect URLs after sign-in and sign-out for the client of a new pool. Required without `domainName`. For a trial: `http://localhost:3000/`.',
    prop: 'Redirect URLs after sign-in and sign-out for the client of a new `userPool`, in addition to `domainName`.',
  }),
  selfSignUp: list(appUrl).default([]).meta({
    values: 'URLs: https, http on localhost, or of a mobile app',
    description:
      'Redirect URLs of your app after sign-in and sign-out. People can then register in the new pool and use their own records, with [`auth=cognito`](../../lib/features/me/providers.md#cognito).',
    prop: 'Redirect URLs of your app after sign-in and sign-out. People can then register in a new `userPool` and use their own records.',
  }),
  userPoolClient: onOrOff.default(false).meta({
    values: 'on or off',
    description:
      'Adds a public client to the pool `userPoolId`: anyone in the pool can sign in. Otherwise, list accepted clients in `audience`.',
    prop: 'Whether an existing `userPool` gets a public client, with which anyone in the pool can sign in. A new pool always has one.',
  }),
  userPoolId: z
    .string()
    .regex(/^[a-z0-9-]+_[A-Za-z0-9]+$/)
    .optional()
    .meta({
      values: 'the id of a Cognito user pool',
      description:
        'Existing pool in the region of the stack, with `auth=cognito`. Gets a resource server with the scopes.',
      unset: 'a new pool',
    }),
  domainName: z
    .string()
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/)
    .optional()
    .meta({
      values: 'a host name, such as users.example.com',
      description: 'Host name for REST, GraphQL and console ([a domain](../README.md#a-domain)). Not with `auth=iam`.',
      prop: 'Host name for REST, GraphQL and console, served by CloudFront. Requires `certificate`. Not with signed requests.',
    }),
  certificateArn: z
    .string()
    .regex(/^arn:[^:]+:acm:us-east-1:\d{12}:certificate\/[\w-]+$/)
    .optional()
    .meta({
      values: 'the ARN of a certificate in us-east-1',
      description: 'Certificate of `domainName`.',
    }),
  corsOrigins: list(origin).default([]).meta({
    values: 'origins, such as https://app.example.com, or *',
    description: 'Origins that CORS allows, always without credentials (cookies).',
    prop: 'Origins that CORS allows, such as `https://app.example.com`, or `*`.',
  }),
  architecture: z.enum(['arm64', 'x86_64']).default('arm64').meta({
    values: 'arm64 or x86_64',
    description: 'Processor of the functions.',
  }),
  logRetentionDays: integer(1, 3653)
    .refine((days) => LOG_RETENTION_DAYS.includes(days))
    .default(30)
    .meta({
      values: '1, 3, 5, 7, 14, 30, 60, 90, 180, 365 or another period of CloudWatch',
      description: 'Days to keep logs.',
    }),
  throttleRate: integer(1, 10_000).default(500).meta({
    values: '1 to 10000',
    description: 'REST requests per second, in bursts of twice as many, but at most 5,000; above it 429.',
    prop: 'REST requests per second, in bursts of twice as many, but at most 5,000.',
  }),
  subscriptions: z.enum(['function-url', 'web-function']).default('function-url').meta({
    values: 'function-url or web-function',
    description:
      'Server of GraphQL. `function-url`: each open subscription occupies a Lambda environment. [`web-function`](../web-function.md): an environment serves up to 128. A change changes the URL.',
    prop: 'What serves GraphQL. With a Function URL, each open subscription occupies an environment. An environment of a Lambda Web Function (aws-cdk-lib 2.276) serves up to 128 requests and subscriptions.',
  }),
  concurrency: integer(10, 1_000_000).default(10).meta({
    values: '10 or more',
    description:
      "The account's [quota](../README.md#quotas) of concurrent Lambda executions, which `aws lambda get-account-settings` prints.",
    prop: "The account's quota: concurrent Lambda executions in this region.",
  }),
  maxStreams: integer(0, 10_000).optional().meta({
    values: '0 to 10000',
    description:
      'Open subscriptions, each of which takes a concurrent execution; above it 503. `0` turns subscriptions off. With a web function: per environment.',
    unset:
      '40 percent of the `concurrency` that background functions leave, at most half of `graphqlConcurrency`; 128 with a web function',
    prop: 'Open subscriptions, from 0 to 10000, each of which takes a concurrent execution. With a web function: per environment.',
    variable: 'GraphQL',
  }),
  maxStreamsPerCaller: integer(1, 10_000).optional().meta({
    values: '1 to 10000',
    description: 'Open subscriptions per caller; above it 429. Raise it if one backend holds all subscriptions.',
    unset: 'half of `maxStreams`',
    prop: 'Open subscriptions per caller.',
    variable: 'GraphQL',
  }),
  graphqlConcurrency: z
    .union([z.literal('unlimited'), integer(1, 10_000)])
    .optional()
    .meta({
      values: '1 to 10000, or unlimited',
      description:
        'Concurrent GraphQL requests and streams, reserved for the function; above it 429. Required by a Function URL without `auth=iam`. At most 100 below `concurrency`, so use `unlimited` in new accounts. Set it well above `maxStreams`.',
      unset: 'unlimited, with `auth=iam`',
      prop: 'Concurrent GraphQL requests and streams, reserved for the function. Required by a Function URL without signed requests.',
    }),
  maxReadUnits: integer(1, 1_000_000_000).default(12_000).meta({
    values: '1 or more',
    description:
      'Read units per second of the table, and of its index; above it requests are throttled. Caps the cost of an attack: $5.40 an hour for each in us-east-1.',
  }),
  maxWriteUnits: integer(1, 1_000_000_000).default(14_000).meta({
    values: '1 or more',
    description: 'Write units per second, likewise: $31.50 an hour for each.',
  }),
  serverTiming: onOrOff.default(false).meta({
    values: 'on or off',
    description: 'Responses state their duration and capacity units in `Server-Timing`, for every caller.',
    prop: 'Whether responses state their duration and capacity units in `Server-Timing`.',
    variable: 'every function',
  }),
  console: onOrOff.default(false).meta({
    values: 'on or off',
    description:
      'CloudFront serves the console, `/docs`, `/openapi.json` and the APIs under one origin. Not with `auth=iam`.',
    prop: 'Whether CloudFront serves the console, `/docs` and `/openapi.json`. Not with signed requests.',
  }),
  siteLogs: onOrOff.default(false).meta({
    values: 'on or off',
    description:
      'CloudFront logs requests to a bucket for 90 days, with IP addresses, ids, names and email addresses: see [erase.md](../erase.md). Not in opt-in regions.',
    prop: 'Whether CloudFront logs requests to a bucket for 90 days. The logs hold IP addresses, paths and queries.',
  }),
  consoleClientId: z.string().optional().meta({
    values: 'a client id',
    description: 'OAuth client [of the console](../identity-providers.md#sign-in-to-the-console), with `auth=jwt`.',
    unset: 'the first `audience`',
    prop: 'OAuth client id of the console at the issuer.',
  }),
  consoleScope: z.string().min(1).optional().meta({
    values: 'scopes, separated by spaces',
    description: 'Scopes that the console requests. Entra ID uses other names in requests than in tokens.',
    unset: '`openid` and all scopes except `eraseScope` and `selfScope`',
    prop: 'Scopes that the console requests from the issuer, separated by spaces.',
  }),
  consoleTokenOrigin: z
    .url({ protocol: /^https$/ })
    .refine((url) => URL.canParse(url) && url === new URL(url).origin)
    .optional()
    .meta({
      values: 'an https origin',
      description: "Origin of the issuer's token endpoint, if another, as with Cognito and Google.",
      unset: 'the origin of `issuer`',
      prop: "The https origin of the issuer's token endpoint.",
    }),
  fields: fieldDeclarations.default({}).meta({
    values: 'an object with a declaration for each name, or such an object as JSON',
    description: 'Your [own fields](../own-fields/README.md) of users.',
    prop: 'Your own fields of users, by name.',
  }),
  groups: onOrOff.default(false).meta({
    values: 'on or off',
    description:
      'Users can be members of [groups](../../lib/features/groups/README.md), such as the companies of a B2B product.',
    prop: 'Whether users can be members of groups, such as the companies of a B2B product.',
  }),
  maxGroups: integer(1, 20).default(10).meta({
    values: '1 to 20',
    description:
      'Maximum groups of a user, with `groups`. A user has at most 49 [derived items](../../lib/dynamodb/README.md#derived-items), and each membership is one.',
    prop: 'Maximum groups of a user, from 1 to 20, with `groups`.',
  }),
  groupRoles: roleNames.default(['member', 'admin']).meta({
    values: 'one or more different names of up to 32 letters, digits, hyphens and underscores, the first a letter',
    description: 'Roles of members, with `groups`. The first one is the default.',
    prop: 'Roles of members, with `groups`. The first one is the default.',
  }),
  groupClaim: z.string().min(1).optional().meta({
    values: 'a claim name, such as org_id',
    description:
      'Token claim with the `externalId` of a group, for [administrators of one group](../../lib/features/my-group/README.md).',
    unset: 'groups have no administrators',
    prop: 'Token claim with the `externalId` of a group, for administrators of one group.',
    variable: 'GraphQL',
  }),
  groupAdminRoles: roleNames.default(['admin']).meta({
    values: 'one or more different names of `groupRoles`, except for the first one',
    description: 'Roles of the administrators of a group, with `groupClaim`.',
    prop: 'Roles of the administrators of a group, with `groupClaim`.',
    variable: 'GraphQL',
  }),
  sortByName: onOrOff.default(true).meta({
    values: 'on or off',
    description:
      'Lists can be sorted by name. Costs 2 write units per creation and deletion, and 4 per change of a name.',
    prop: 'Whether lists can be sorted by name.',
    variable: 'every function',
  }),
  domainSearch: onOrOff.default(true).meta({
    values: 'on or off',
    description:
      'Search finds users by domain, such as `@example.org`. Costs 2 write units per creation and deletion, and 4 per change. A domain takes [500 new users a second](../../lib/features/search/README.md#limits): turn it off if most users share few domains.',
    prop: 'Whether a search finds users by the domain of their address.',
    variable: 'every function',
  }),
  events: onOrOff.default(false).meta({
    values: 'on or off',
    description: 'Sends [changes of users and posts](../events.md) to an event bus.',
    prop: 'Whether changes of users and posts are sent to an event bus, the attribute `eventBus`.',
  }),
  webhookUrl: z
    .url({ protocol: /^https$/ })
    .refine((url) => {
      const { username, password, hash } = URL.parse(url) ?? {};
      return `${username}${password}${hash}` === '';
    })
    .optional()
    .meta({
      values: 'an https URL without user and password',
      description: 'Receives events by [signed POST requests](../events.md#signed-webhooks). Turns `events` on.',
      prop: 'Receives events by POST requests, signed with the secret in the attribute `webhookSecret`. Turns `events` on.',
    }),
  historyDays: integer(1, 3650).optional().meta({
    values: '1 to 3650',
    description:
      'Days that histories and lists of changes reach back. [Changes](../../lib/features/change-log/README.md#costs) are kept for at least two days.',
    unset: 'histories: 24 hours, lists: 25; none with `maxStreams=0` and without `events`',
    prop: 'Days that histories and lists of changes reach back, from 1 to 3650. Changes are kept for at least two days.',
    variable: 'the change log',
  }),
  backupDays: integer(1, 36_500).optional().meta({
    values: '1 to 36500',
    description:
      'Days to keep daily [backups](../runbook.md#backups) of the table, $0.10 per GB and month, and the records of erasures.',
    unset: 'no backups, only point-in-time recovery',
    prop: 'Days to keep daily backups of the table in AWS Backup.',
    variable: 'every function',
  }),
  backupCopyVaultArn: z
    .string()
    .regex(/^arn:[^:]+:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]+$/)
    .optional()
    .meta({
      values: 'the ARN of an AWS Backup vault',
      description:
        'Vault in another region or account for a copy of each backup, with `backupDays`. Must allow `backup:CopyIntoBackupVault`.',
      prop: 'ARN of an AWS Backup vault in another region or account, for a copy of each backup. Requires `backupDays`.',
    }),
  alarmEmail: z.email().optional().meta({
    values: 'an email address',
    description: 'Receives an email when an alarm fires or ends. Confirm the address once.',
    prop: 'Receives an email when an alarm fires or ends, once the address is confirmed.',
  }),
  runbookUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      values: 'a URL without a fragment',
      description: 'Your copy of the runbook, linked from each alarm.',
      unset: 'the path `infra/runbook.md`',
      prop: 'URL of the runbook, linked from each alarm.',
    }),
  dashboard: onOrOff.default(false).meta({
    values: 'on or off',
    description: 'Adds a CloudWatch dashboard. An account has three for free; each further one costs $3 a month.',
    prop: 'Whether CloudWatch has a dashboard of the service.',
  }),
  canary: onOrOff.default(false).meta({
    values: 'on or off',
    description: 'New code gets a tenth of the requests for five minutes, then all. An alarm rolls it back.',
    prop: 'Whether new code gets a tenth of the requests for five minutes, then all.',
  }),
  tableName: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,255}$/)
    .optional()
    .meta({
      values: '3 to 255 letters, digits, hyphens, dots and underscores',
      description: 'Name of [the table](../README.md#the-table).',
      unset: '`<stackName>-users`',
    }),
  restoredStream: z
    .string()
    .regex(/^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/)
    .optional()
    .meta({
      values: 'the ARN of the stream of a restored table',
      description: 'Uses the [restored](../runbook.md#restore) table instead of the table of the stack.',
    }),
  databaseEndpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      values: 'an http URL',
      description: 'DynamoDB for [`sam local`](../sam-local.md). Never for a deploy.',
      prop: '@internal DynamoDB endpoint for sam local.',
    }),
  deletionProtection: onOrOff.default(true).meta({
    values: 'on or off',
    description:
      'DynamoDB rejects deleting the table, CloudFormation deleting the stack. Off only for trials: a failed first deploy then deletes the table.',
  }),
  tracing: onOrOff.default(false).meta({
    values: 'on or off',
    description: 'Functions send traces to X-Ray: one request per second and 5 percent of the rest.',
    prop: 'Whether functions send traces to X-Ray.',
  }),
  customerManagedKey: onOrOff.default(false).meta({
    values: 'on or off',
    description:
      'A KMS key of the stack encrypts table, event bus, webhook secret and webhook queues. Logs, other queues and alarms work without it.',
  }),
});

export type Settings = z.infer<typeof settings>;

export type EnvironmentSettings = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

export type Environments = { readonly default: EnvironmentSettings; readonly [name: string]: EnvironmentSettings };

export const plainPropNames = listSettings(({ prop }) => prop !== undefined);

export const listVariables = (readers: Readers) => listSettings(({ variable }) => variable === readers);

/** `historyDays` becomes HISTORY_DAYS. */
export const toVariableName = (setting: string) => setting.replace(/[A-Z]/g, '_$&').toUpperCase();

export const toVariable = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);

function listSettings(matches: (meta: z.GlobalMeta) => boolean): (keyof PlainProps)[] {
  const names = Object.keys(settings.shape) as (keyof PlainProps)[];
  return names.filter((name) => matches(settings.shape[name].meta() ?? {}));
}

/** The message has one sentence, or one for each invalid field declaration. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** CDK's own context keys contain colons, slashes or hyphens. */
const OWN_KEY = /^[A-Za-z]\w*$/;

const pickOwnSettings = (context: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(context).filter(([name, value]) => OWN_KEY.test(name) && value !== '' && value !== undefined),
  );

/** Throws SettingError. */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = pickOwnSettings(context);
  requireKnown(given);
  const result = settings.safeParse(given);
  if (!result.success) throw new SettingError(describeIssue(result.error.issues[0], context));
  requireTokenSettings(result.data);
  requireGroups(result.data);
  return result.data;
}

/** `npm start` applies these settings, and `fields`. */
export const localSettings = settings.pick({
  readScope: true,
  writeScope: true,
  listScope: true,
  historyScope: true,
  eraseScope: true,
  selfScope: true,
  groupScope: true,
  subjectClaim: true,
  emailClaim: true,
  emailVerifiedClaim: true,
  selfDelete: true,
  selfLink: true,
  emailFollows: true,
  groupsClaim: true,
  readGroup: true,
  writeGroup: true,
  corsOrigins: true,
  groups: true,
  maxGroups: true,
  groupRoles: true,
  groupClaim: true,
  groupAdminRoles: true,
  sortByName: true,
  domainSearch: true,
  maxStreams: true,
  maxStreamsPerCaller: true,
  historyDays: true,
});

export type LocalSettings = z.infer<typeof localSettings>;

/** Reads only LocalSettings: a deploy may get the others from its command line. Throws SettingError. */
export function readLocalSettings(context: Record<string, unknown>): LocalSettings {
  const given = pickOwnSettings(context);
  requireKnown(given);
  const result = localSettings.strip().safeParse(given);
  if (!result.success) throw new SettingError(describeIssue(result.error.issues[0], context));
  requireGroups(result.data);
  return result.data;
}

export function listChanged(context: Record<string, unknown>): (keyof Settings)[] {
  const defaults: Record<string, unknown> = settings.parse({});
  const names = Object.keys(settings.shape) as (keyof Settings)[];
  const given = pickOwnSettings(context);
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

/** Settings that require `groups`. */
const OF_GROUPS = ['maxGroups', 'groupRoles', 'groupClaim', 'groupAdminRoles'] as const;

export const GROUP_SETTINGS = ['groups', ...OF_GROUPS] as const;

export type GroupSettings = Pick<Settings, (typeof GROUP_SETTINGS)[number]>;

/** Throws SettingError. */
function requireGroups(values: GroupSettings): void {
  const issue = findGroupIssue(values);
  if (issue) throw new SettingError(`${issue}.`);
}

export function findGroupIssue(values: GroupSettings): string | undefined {
  const { groups, groupClaim, groupRoles, groupAdminRoles } = values;
  const isChanged = (name: keyof GroupSettings) =>
    JSON.stringify(values[name]) !== JSON.stringify(settings.shape[name].parse(undefined));
  const given = OF_GROUPS.filter(isChanged);
  if (!groups) return given.length > 0 ? `The setting ${given.join(', ')} requires groups=on` : undefined;
  if (groupClaim === undefined)
    return isChanged('groupAdminRoles') ? 'The setting groupAdminRoles requires groupClaim' : undefined;
  const unknown = groupAdminRoles.filter((role) => !groupRoles.includes(role));
  if (unknown.length > 0)
    return `The setting groupAdminRoles has ${unknown.join(', ')}, but groupRoles is ${groupRoles.join(', ')}`;
  const [first = ''] = groupRoles;
  return groupAdminRoles.includes(first)
    ? `The setting groupAdminRoles has ${first}, the first of groupRoles: new members, and members whose role is dropped, would be administrators`
    : undefined;
}

function requireTokenSettings({ auth, issuer, audience, listScope, userPoolId, userPoolClient }: Settings): void {
  for (const [name, value] of Object.entries({ issuer, audience: audience[0] })) {
    if (auth === 'jwt' && value === undefined)
      throw new SettingError(`The setting ${name} is missing; expected with auth=jwt: ${describeValues(name)}.`);
    if (auth !== 'jwt' && value !== undefined && !(name === 'audience' && userPoolId))
      throw new SettingError(`The setting ${name} requires auth=jwt, but auth is ${auth}.`);
  }
  if (listScope && auth !== 'jwt')
    throw new SettingError(`The setting listScope requires auth=jwt, but auth is ${auth}.`);
  if (userPoolId && !userPoolClient && audience.length === 0)
    throw new SettingError(
      'The setting userPoolId requires audience (the clients of the pool whose tokens are accepted) or userPoolClient=on (anyone in the pool can sign in).',
    );
  if (userPoolId && auth !== 'cognito')
    throw new SettingError(`The setting userPoolId requires auth=cognito, but auth is ${auth}.`);
}

export const describeValues = (name: string) => settings.shape[name as keyof Settings].meta()?.values;

function describeIssue(issue: z.core.$ZodIssue | undefined, context: Record<string, unknown>): string {
  const name = String(issue?.path[0]);
  if (name === 'fields') return listIssues(context.fields).join('\n');
  return `The setting ${name} is ${JSON.stringify(context[name])}; expected: ${describeValues(name)}.`;
}
