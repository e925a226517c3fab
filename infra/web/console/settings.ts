import type { Settings } from '../../settings.ts';

/** How the service where the console runs is reached. Served as `/console.json` beside the page. */
export type ConsoleSettings = {
  /** Where the data is kept. Only set by the local service. */
  data?: string;
  /** Pages beside the console. */
  links: { label: string; path: string }[];
  auth: { kind: 'none' } | { kind: 'token' } | SignInSettings;
};

/** OpenID Connect with the authorization code flow and PKCE (RFC 7636). */
export type SignInSettings = { kind: 'sign-in'; issuer: string; clientId: string; scope: string; audience: string };

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
