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
