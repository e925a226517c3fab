import { parseArgs } from 'node:util';
import * as z from 'zod';
import { isLoopback, isAllowedIssuerUrl } from '../../lib/auth/issuer.ts';

const USAGE = `npm start -- [--port 3000] [--host 127.0.0.1] [--data DIR | --memory] [--cors ORIGIN] [--issuer URL --audience NAME]`;

const options = z
  .object({
    port: z
      .string()
      .regex(/^\d+$/, '--port must be a number')
      .transform(Number)
      .refine((port) => port <= 65535, '--port must be at most 65535'),
    host: z.string().min(1, '--host must be a name or an address'),
    data: z.string().min(1, '--data must be a folder'),
    memory: z.boolean(),
    cors: z.array(z.string().refine(isOrigin, '--cors must be an origin, such as https://app.example.org')),
    issuer: z
      .string()
      .refine(isAllowedIssuerUrl, '--issuer must be an https URL, or an http URL of this machine')
      .optional(),
    audience: z.string().min(1, '--audience must be a name').optional(),
  })
  .refine(({ issuer, audience }) => !issuer === !audience, '--issuer and --audience must be given together')
  .transform(({ issuer, audience, ...options }) => ({
    ...options,
    ...(issuer && audience ? { tokens: { issuer, audience } } : {}),
  }));

export type Options = z.infer<typeof options>;

/** RFC 6454 section 6.2. */
function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}

/** Throws an error whose one-line message contains the issue and the usage. */
export function readOptions(args: string[], env: NodeJS.ProcessEnv = process.env): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string', default: '.data' },
        memory: { type: 'boolean', default: false },
        cors: { type: 'string', multiple: true, default: [] },
        issuer: { type: 'string' },
        audience: { type: 'string' },
      },
    });
    // The GraphQL function reads these variables, and REST must not be open when GraphQL is not.
    const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = env;
    return options.parse({ ...(issuer ? { issuer } : {}), ...(audience ? { audience } : {}), ...values });
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]?.message : (error as Error).message.split(/\.\s/)[0];
    throw new Error(`${reason}. Usage: ${USAGE}`);
  }
}

/** Returns a warning if anyone on the network could use the service. */
export function createOpenWarning({ host, tokens }: Options): string | undefined {
  if (tokens || isLoopback(host)) return undefined;
  return `Warning: anyone who can reach ${host} can read and change all data. Require tokens with --issuer and --audience.`;
}
