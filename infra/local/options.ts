import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import * as z from 'zod';
import { isAllowedIssuerUrl, isLoopback } from '../../lib/auth/issuer.ts';
import { isSecret, parseReceiver } from '../../lib/features/events/webhook.ts';
import { rejectRepeatedOptions, rejectSwallowedOptions } from './arguments.ts';

const options = z
  .object({
    port: z
      .string()
      .regex(/^\d+$/, '--port, or the variable PORT, must be a number')
      .transform(Number)
      .refine((port) => port <= 65535, '--port must be at most 65535'),
    host: z.string().min(1, '--host must be a name or an address'),
    data: z.string().min(1, '--data must be a folder'),
    memory: z.boolean(),
    engine: z.enum(['embedded', 'dynamodb-local'], '--engine must be embedded or dynamodb-local'),
    sample: z
      .string()
      .regex(/^\d{1,6}$/, '--sample must be a number of users')
      .transform(Number)
      .optional(),
    fields: z.string().min(1, '--fields must be a file').optional(),
    cors: z.array(z.string().refine(isOrigin, '--cors must be an origin, such as https://app.example.org')).default([]),
    events: z
      .string()
      .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), '--events must be an http or https URL')
      .refine(hasEncodedCredentials, '--events must have its user and password percent-encoded')
      .optional(),
    eventsSecret: z
      .string()
      .refine(
        isSecret,
        '--events-secret, or the variable EVENTS_SECRET, must be whsec_ and the base64 of 24 to 64 bytes',
      )
      .optional(),
    auth: z.boolean(),
    issuer: z
      .string()
      .refine(isAllowedIssuerUrl, '--issuer must be an https URL, or an http URL of this machine')
      .optional(),
    audience: z.string().min(1, '--audience must be a name').optional(),
    reload: z.boolean(),
  })
  .refine(({ issuer, audience }) => !issuer === !audience, '--issuer and --audience must be given together')
  .refine(({ auth, issuer }) => !auth || !issuer, '--auth starts its own issuer: omit --issuer')
  .transform(({ issuer, audience, ...options }) => ({
    ...options,
    ...(issuer && audience ? { tokens: { issuer, audience } } : {}),
  }));

export type Options = z.infer<typeof options>;

function hasEncodedCredentials(url: string): boolean {
  try {
    return Boolean(parseReceiver(url));
  } catch {
    return false;
  }
}

/** `*` or a serialized origin, without a path (RFC 6454 section 6.2). */
function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}

const definitions = {
  port: { type: 'string', short: 'p' },
  host: { type: 'string', default: '127.0.0.1' },
  data: { type: 'string', default: '.data' },
  memory: { type: 'boolean', default: false },
  engine: { type: 'string', default: 'embedded' },
  sample: { type: 'string' },
  fields: { type: 'string' },
  cors: { type: 'string', multiple: true },
  events: { type: 'string' },
  'events-secret': { type: 'string' },
  auth: { type: 'boolean', default: false },
  issuer: { type: 'string' },
  audience: { type: 'string' },
  reload: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

const USAGE = 'Usage: npm start -- [options]; npm start -- --help lists the options';

export const HELP = `npm start -- [options]       starts the service on this machine
npm run dev -- [options]     the same, and reloads it on save
npm run start:auth           the same as npm start -- --auth

  --port NUMBER, -p          3000, or the variable PORT; 0 picks a free port
  --host NAME                127.0.0.1: only this machine can connect; 0.0.0.0 accepts requests to all of its IP addresses
  --data DIR                 .data: where the embedded database stores its data
  --memory                   keeps data only until it ends: in memory, or in a temporary folder if /dev/shm has less than 1 GB
  --sample NUMBER            fills an empty database with this number of realistic users, and posts
  --fields FILE              reads own fields from a JSON file instead of infra/settings/environments.ts
  --cors ORIGIN              allows pages of this origin to use the APIs, besides pages of this machine. Repeatable
  --events URL               POSTs each change to this webhook, signed; see infra/events.md
  --events-secret whsec_…    signs with this secret, or the variable EVENTS_SECRET; by default, a new secret is printed
  --auth                     requires tokens; npm run token creates them
  --issuer URL --audience A  requires tokens of that issuer for that audience
  --engine dynamodb-local    uses DynamoDB Local (Java 17 or later, npm run install:dynamodb-local) instead of the embedded engine
  --help, --version

AWS_ENDPOINT_URL_DYNAMODB selects another DynamoDB, such as DynamoDB Local.`;

export function readOptions(args: string[], env: NodeJS.ProcessEnv = process.env): Options {
  rejectSwallowedOptions(definitions, args, env);
  try {
    rejectRepeatedOptions(definitions, args);
    const { 'events-secret': givenSecret = env.EVENTS_SECRET, ...values } = parseArgs({
      args,
      options: definitions,
    }).values;
    // The GraphQL function also reads these variables: REST must require tokens whenever GraphQL does.
    const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience, PORT } = env;
    return options.parse({
      port: PORT || '3000',
      ...(issuer ? { issuer } : {}),
      ...(audience ? { audience } : {}),
      ...(givenSecret ? { eventsSecret: givenSecret } : {}),
      ...values,
    });
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]?.message : (error as Error).message.split(/\.\s/)[0];
    throw new Error(`${reason}. ${USAGE}`);
  }
}

export function createOpenWarning({ host, tokens, auth }: Options): string | undefined {
  if (tokens || auth || isLoopback(host)) return undefined;
  return `Warning: anyone who can reach ${host} can read and change all data. Require tokens with --auth, or with --issuer and --audience.`;
}
