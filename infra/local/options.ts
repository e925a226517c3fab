import { parseArgs } from 'node:util';
import * as z from 'zod';
import { isLoopback, isAllowedIssuerUrl } from '../../lib/auth/issuer.ts';

const USAGE = `npm start -- [--port 3000] [--host 127.0.0.1] [--data DIR | --memory] [--issuer URL --audience NAME]`;

const options = z
  .object({
    port: z
      .string()
      .regex(/^\d+$/, '--port takes a number')
      .transform(Number)
      .refine((port) => port <= 65535, '--port takes a number up to 65535'),
    host: z.string().min(1, '--host takes a name or an address'),
    data: z.string().min(1, '--data takes a folder'),
    memory: z.boolean(),
    issuer: z
      .string()
      .refine(isAllowedIssuerUrl, '--issuer takes an https URL, or an http one of this machine')
      .optional(),
    audience: z.string().min(1, '--audience takes a name').optional(),
  })
  .refine(({ issuer, audience }) => !issuer === !audience, '--issuer and --audience go together')
  .transform(({ issuer, audience, ...options }) => ({
    ...options,
    ...(issuer && audience ? { tokens: { issuer, audience } } : {}),
  }));

export type Options = z.infer<typeof options>;

/** Throws an error of one line, which says what is wrong and how it is used. */
export function readOptions(args: string[], env: NodeJS.ProcessEnv = process.env): Options {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string', default: '.data' },
        memory: { type: 'boolean', default: false },
        issuer: { type: 'string' },
        audience: { type: 'string' },
      },
    });
    // The GraphQL function goes by these two as well, and one door may not be open where the other is not.
    const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = env;
    return options.parse({ ...(issuer ? { issuer } : {}), ...(audience ? { audience } : {}), ...values });
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues[0]?.message : (error as Error).message.split(/\.\s/)[0];
    throw new Error(`${reason}. Usage: ${USAGE}`);
  }
}

/** What whoever starts the service should know before others find out. */
export function warningOf({ host, tokens }: Options): string | undefined {
  if (tokens || isLoopback(host)) return undefined;
  return `Warning: whoever reaches ${host} may read and change all data. --issuer and --audience ask for a token.`;
}
