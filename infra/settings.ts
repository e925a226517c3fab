import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';

/** The command line gives text; cdk.json can hold any JSON value. */
const onOrOff = z.union([z.boolean(), z.stringbool()]);
const integer = (min: number, max: number) => z.coerce.number().pipe(z.int().min(min).max(max));
const origin = z.union([
  z.literal('*'),
  z.url({ protocol: /^https?$/ }).refine((url) => URL.canParse(url) && url === new URL(url).origin),
]);
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value), z.array(item));

/** Descriptions list the allowed values. cdk.json repeats them beside each value, which a test enforces. */
export const settings = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
    .default('UserManagement')
    .describe('name of the stack, up to 64 letters, digits and hyphens, the first a letter'),
  auth: z
    .enum(['iam', 'jwt', 'none'])
    .default('iam')
    .describe('iam (signed requests only), jwt (tokens of the issuer for the audience) or none (open to everyone)'),
  issuer: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe('https URL of the token issuer (the iss claim), with auth=jwt'),
  audience: z.string().min(1).optional().describe('value of the aud or client_id claim, with auth=jwt'),
  corsOrigins: list(origin)
    .default([])
    .describe('origins allowed by CORS, such as https://app.example.com, separated by commas, or *'),
  architecture: z
    .enum(['arm64', 'x86_64'])
    .default('arm64')
    .describe('arm64 or x86_64, the processor of the functions'),
  compileCache: z
    .string()
    .optional()
    .describe(
      "path of the Node.js of Lambda's runtime, which makes V8 compile caches for the functions; none if empty",
    ),
  logRetentionDays: integer(1, 3653)
    .refine((days) => days in RetentionDays)
    .default(30)
    .describe('days to keep logs: 1, 3, 5, 7, 14, 30, 60, 90, 180, 365 or another value that CloudWatch accepts'),
  throttleRate: integer(1, 10_000).default(500).describe('REST requests per second, from 1 to 10000'),
  throttleBurst: integer(1, 5_000).default(1_000).describe('size of a burst of REST requests, from 1 to 5000'),
  maxStreams: integer(0, 10_000)
    .default(5)
    .describe(
      'open subscriptions, from 0 to 10000; each takes one concurrent execution, of which new accounts have 10',
    ),
  maxStreamsPerCaller: integer(1, 10_000)
    .optional()
    .describe('open subscriptions of one caller, from 1 to 10000; half of maxStreams if empty'),
  graphqlConcurrency: integer(1, 10_000)
    .optional()
    .describe('concurrent GraphQL requests and streams, from 1 to 10000, well above maxStreams; unlimited if empty'),
  serverTiming: onOrOff
    .default(false)
    .describe('on or off: whether responses state their duration and capacity units in Server-Timing'),
  console: onOrOff
    .default(false)
    .describe(
      'on or off: whether the console is published on CloudFront; not with auth=iam, which browsers cannot use',
    ),
  consoleClientId: z
    .string()
    .optional()
    .describe('OAuth client id of the console at the issuer, with auth=jwt; the audience if empty'),
  consoleTokenOrigin: z
    .url({ protocol: /^https$/ })
    .refine((url) => URL.canParse(url) && url === new URL(url).origin)
    .optional()
    .describe(
      'https origin of the token endpoint of the issuer, to which the console may connect; that of the issuer if empty',
    ),
  alarmEmail: z.email().optional().describe('email address that is notified of alarms, in addition to the topic'),
  canary: onOrOff
    .default(false)
    .describe('on or off: whether new code gets a tenth of the requests for five minutes before it gets all'),
  restoredStream: z
    .string()
    .regex(/^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/)
    .optional()
    .describe('ARN of the stream of a restored table, which replaces the table of the stack'),
  databaseEndpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('http URL of the DynamoDB that the functions use under sam local; never for a deploy'),
  deletionProtection: onOrOff
    .default(true)
    .describe('on or off: whether DynamoDB rejects the deletion of the table; off is for trials'),
  tracing: onOrOff.default(false).describe('on or off: whether the functions send traces to X-Ray'),
  target: z
    .enum(['aws', 'emulator'])
    .default('aws')
    .describe('aws, or emulator for the e2e test, which omits the alarms that the emulator does not support'),
  customerManagedKey: onOrOff
    .default(false)
    .describe('on or off: whether table, logs, queue and topic are encrypted with a KMS key of the stack'),
});

export type Settings = z.infer<typeof settings>;

/** An invalid setting, explained to the operator in one sentence. */
export class SettingError extends Error {}

/** The context keys of CDK contain colons, slashes and the like; those of this project do not. */
const OWN_KEY = /^[A-Za-z]\w*$/;

/** Reads the CDK context. Throws SettingError. */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = Object.entries(context).filter(([name, value]) => OWN_KEY.test(name) && value !== '');
  const result = settings.safeParse(Object.fromEntries(given));
  if (!result.success) throw new SettingError(describeIssue(result.error.issues[0], context));
  requireTokenSettings(result.data);
  requireRoomForQueries(result.data);
  requireSignIn(result.data);
  return result.data;
}

function requireTokenSettings({ auth, issuer, audience }: Settings): void {
  for (const [name, value] of Object.entries({ issuer, audience })) {
    if (auth === 'jwt' && value === undefined)
      throw new SettingError(`The setting ${name} is missing; expected: ${describeSetting(name)}.`);
    if (auth !== 'jwt' && value !== undefined)
      throw new SettingError(`The setting ${name} requires auth=jwt, but auth is ${auth}.`);
  }
}

function requireRoomForQueries({ graphqlConcurrency, maxStreams }: Settings): void {
  if (graphqlConcurrency === undefined || graphqlConcurrency > maxStreams) return;
  throw new SettingError(
    `The setting graphqlConcurrency is ${graphqlConcurrency}, which leaves no room for queries beside ${maxStreams} streams (maxStreams).`,
  );
}

function requireSignIn({ auth, console }: Settings): void {
  if (console && auth === 'iam')
    throw new SettingError('The setting console requires auth=jwt or auth=none: browsers do not sign requests.');
}

const describeSetting = (name: string) => settings.shape[name as keyof Settings].description;

function describeIssue(issue: z.core.$ZodIssue | undefined, context: Record<string, unknown>): string {
  if (issue?.code === 'unrecognized_keys')
    return `Unknown setting ${issue.keys.join(', ')}; the settings are ${Object.keys(settings.shape).join(', ')}.`;
  const name = String(issue?.path[0]);
  return `The setting ${name} is ${JSON.stringify(context[name])}; expected: ${describeSetting(name)}.`;
}
