import * as z from 'zod/mini';
import type { Settings } from '../../settings.ts';

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
});

export type ConsoleSettings = z.infer<typeof consoleSettings>;

/** `data` is the location of the data. */
export type LocalInfo = { data: string; requiresToken: boolean };

export const createLocalSettings = ({ data, requiresToken }: LocalInfo): ConsoleSettings => ({
  data,
  links: [
    { label: 'Reference', path: '/docs' },
    { label: 'GraphiQL', path: '/graphql' },
    { label: 'OpenAPI', path: '/openapi.json' },
  ],
  auth: { kind: requiresToken ? 'token' : 'none' },
});

export function createDeployedSettings({ auth, issuer, audience, consoleClientId }: Settings): ConsoleSettings {
  if (auth !== 'jwt' || !issuer || !audience) return { links: [], auth: { kind: 'none' } };
  const clientId = consoleClientId ?? audience;
  return {
    links: [],
    auth: { kind: 'sign-in', issuer, clientId, audience, scope: 'openid users:read users:write' },
  };
}
