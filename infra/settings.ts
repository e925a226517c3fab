import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';

/** The command line gives text, cdk.json may give JSON. */
const onOrOff = z.union([z.boolean(), z.stringbool()]);
const wholeNumber = (least: number, most: number) => z.coerce.number().pipe(z.int().min(least).max(most));
const origin = z.union([z.literal('*'), z.url({ protocol: /^https?$/ }).refine((url) => url === new URL(url).origin)]);
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((given) => (typeof given === 'string' ? given.split(',').filter(Boolean) : given), z.array(item));

/** Each description says what the setting takes; cdk.json repeats it beside the value, a test sees to that. */
export const settings = z.strictObject({
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
    .default('UserManagement')
    .describe('the name of the stack, up to 64 letters, digits and hyphens'),
  auth: z
    .enum(['iam', 'jwt', 'none'])
    .default('iam')
    .describe('iam (signed requests only), jwt (tokens of the issuer for the audience) or none (everybody may call)'),
  issuer: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe('the https URL in the iss claim of the tokens, with auth=jwt'),
  audience: z.string().min(1).optional().describe('what the tokens name in aud or client_id, with auth=jwt'),
  corsOrigins: list(origin)
    .default([])
    .describe('the origins whose pages may call, such as https://app.example.com, separated by commas, or *'),
  architecture: z
    .enum(['arm64', 'x86_64'])
    .default('arm64')
    .describe('arm64 or x86_64, the processor of the functions'),
  logRetentionDays: wholeNumber(1, 3653)
    .refine((days) => days in RetentionDays)
    .default(30)
    .describe('the days that logs are kept: 1, 3, 5, 7, 14, 30, 60, 90, 180, 365 or another that CloudWatch knows'),
  throttleRate: wholeNumber(1, 10_000).default(500).describe('the REST requests a second, from 1 to 10000'),
  throttleBurst: wholeNumber(1, 5_000).default(1_000).describe('the REST requests at once, from 1 to 5000'),
  maxStreams: wholeNumber(0, 10_000)
    .default(100)
    .describe('the open subscriptions at once, from 0 to 10000; each holds an environment of the GraphQL function'),
  graphqlConcurrency: wholeNumber(1, 10_000)
    .optional()
    .describe('the requests and streams of GraphQL at once, from 1 to 10000, well above maxStreams; else unbounded'),
  serverTiming: onOrOff
    .default(false)
    .describe('on or off: whether answers tell the milliseconds and capacity units they took, in Server-Timing'),
  alarmEmail: z.email().optional().describe('the address that alarms are sent to, besides the topic'),
  canary: onOrOff
    .default(false)
    .describe(
      'on or off: whether a deploy gives new code a tenth of the calls for five minutes, and all only if it does well',
    ),
  restoredStream: z
    .string()
    .regex(/^arn:[^:]+:dynamodb:[^:]+:\d{12}:table\/[^/]+\/stream\/[^/]+$/)
    .optional()
    .describe(
      'the ARN of the stream of a restored table, which the functions then use in place of the one of the stack',
    ),
  databaseEndpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('the http URL of a DynamoDB that the functions use under sam local; never for a deploy'),
  target: z
    .enum(['aws', 'emulator'])
    .default('aws')
    .describe('aws, or emulator for the e2e test, which leaves out what infra/stack/emulator.ts lists'),
  customerManagedKey: onOrOff
    .default(false)
    .describe(
      'true or false: whether table, logs and queue are encrypted with a KMS key of the stack, not with those of AWS',
    ),
});

export type Settings = z.infer<typeof settings>;

/** A wrong setting, in one sentence for the operator. */
export class SettingError extends Error {}

/** CDK's own context keys have colons, slashes and the like in them; what has none is meant for us. */
const OURS = /^[A-Za-z]\w*$/;

/** Reads the CDK context, once. Throws SettingError. */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = Object.entries(context).filter(([name, value]) => OURS.test(name) && value !== '');
  const result = settings.safeParse(Object.fromEntries(given));
  if (!result.success) throw new SettingError(sentence(result.error.issues[0], context));
  const { auth, issuer, audience } = result.data;
  for (const [name, value] of Object.entries({ issuer, audience }))
    if ((auth === 'jwt') !== (value !== undefined))
      throw new SettingError(
        value === undefined
          ? `The setting ${name} is missing: it takes ${takes(name)}.`
          : `The setting ${name} goes with auth=jwt only, and auth is ${auth}.`,
      );
  return result.data;
}

const takes = (name: string) => settings.shape[name as keyof Settings].description;

function sentence(issue: z.core.$ZodIssue | undefined, context: Record<string, unknown>): string {
  if (issue?.code === 'unrecognized_keys')
    return `There is no setting ${issue.keys.join(', ')}; there are ${Object.keys(settings.shape).join(', ')}.`;
  const name = String(issue?.path[0]);
  return `The setting ${name} cannot be ${JSON.stringify(context[name])}: it takes ${takes(name)}.`;
}
