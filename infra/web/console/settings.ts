import * as z from 'zod/mini';
import type { FieldDeclaration, OwnField } from '../../../lib/users/own-fields/declaration.ts';

/** The console signs in with OpenID Connect, by the authorization code flow with PKCE (RFC 7636). */
const signInSettings = z.object({
  kind: z.literal('sign-in'),
  issuer: z.string(),
  clientId: z.string(),
  scope: z.string(),
  audience: z.string(),
});

export type SignInSettings = z.infer<typeof signInSettings>;

/** The console loads these from `/console.json`: they tell how its service is reached. */
export const consoleSettings = z.object({
  /** The location of the data, which only the local service tells. */
  data: z.optional(z.string()),
  /** The header links to these pages. */
  links: z.array(z.object({ label: z.string(), path: z.string() })),
  auth: z.union([z.object({ kind: z.literal(['none', 'token']) }), signInSettings]),
  /** The synthesis, or the start of the local service, has checked the declarations. */
  fields: z.array(z.custom<OwnField>()),
});

export type ConsoleSettings = z.infer<typeof consoleSettings>;

/** `data` is the location of the data. */
export type LocalInfo = { data: string; requiresToken: boolean };

export const createLocalSettings = (
  { data, requiresToken }: LocalInfo,
  fields: readonly OwnField[],
): ConsoleSettings => ({
  data,
  links: [
    { label: 'Reference', path: '/docs' },
    { label: 'GraphiQL', path: '/graphql' },
    { label: 'OpenAPI', path: '/openapi.json' },
  ],
  auth: { kind: requiresToken ? 'token' : 'none' },
  fields: [...fields],
});

/** Without settings to sign in, the service is open. */
export const createDeployedSettings = (
  fields: Readonly<Record<string, FieldDeclaration>>,
  signIn?: Omit<SignInSettings, 'kind'>,
): ConsoleSettings => ({
  links: [],
  auth: signIn ? { kind: 'sign-in', ...signIn } : { kind: 'none' },
  fields: Object.entries(fields).map(([name, declaration]) => ({ ...declaration, name })),
});
