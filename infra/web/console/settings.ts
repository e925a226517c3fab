import * as z from 'zod/mini';
import type { FieldDeclaration, OwnField } from '../../../lib/users/fields/declaration.ts';

/** Scopes and groups that a token needs. The console hides actions the token does not allow. */
const rights = {
  writeScope: z.optional(z.string()),
  /** Group that may change users, and the token's claim that lists the groups. */
  writeGroup: z.optional(z.object({ claim: z.string(), name: z.string() })),
  historyScope: z.optional(z.string()),
  eraseScope: z.optional(z.string()),
};

export type TokenRights = z.infer<z.ZodMiniObject<typeof rights>>;

/** The console signs in with OpenID Connect, by the authorization code flow with PKCE (RFC 7636). */
const signInSettings = z.object({
  kind: z.literal('sign-in'),
  issuer: z.string(),
  clientId: z.string(),
  scope: z.string(),
  audience: z.string(),
  ...rights,
});

export type SignInSettings = z.infer<typeof signInSettings>;

/**
 * Local service only: a person pastes a token, because the issuer offers no sign-in for the console.
 * `hasDeveloperTokens`: the service issues tokens itself, and the console has buttons for them.
 */
const tokenSettings = z.object({
  kind: z.literal('token'),
  issuer: z.optional(z.string()),
  ...rights,
  hasDeveloperTokens: z.boolean(),
});

const offer = z.object({
  sortByName: z.boolean(),
  /**
   * `live`: clients receive changes at once. `kept`: clients can only read past changes. `none`: the service stores
   * none.
   */
  changes: z.enum(['live', 'kept', 'none']),
});

export type Offer = z.infer<typeof offer>;

export const consoleSettings = z.object({
  /** Description of where the data is stored. Only the local service sets this. */
  data: z.optional(z.string()),
  links: z.array(z.object({ label: z.string(), path: z.string() })),
  auth: z.union([z.object({ kind: z.literal('none') }), tokenSettings, signInSettings]),
  offer,
  /** Declarations of the own fields. Already validated: by CDK at synthesis, or when the local service started. */
  fields: z.array(z.custom<OwnField>()),
});

export type ConsoleSettings = z.infer<typeof consoleSettings>;

/**
 * Facts about the local service. `tokenIssuer` is the issuer of accepted tokens. `issuer` is set to the same URL if the
 * local service runs the issuer.
 */
export type LocalInfo = {
  data: string;
  requiresToken: boolean;
  tokenIssuer?: string;
  issuer?: string;
  rights: TokenRights;
  offer: Offer;
};

const REFERENCE = { label: 'Reference', path: '/docs' };
const OPENAPI = { label: 'OpenAPI', path: '/openapi.json' };

export const createLocalSettings = (
  { data, requiresToken, tokenIssuer, issuer, rights, offer }: LocalInfo,
  fields: readonly OwnField[],
): ConsoleSettings => ({
  data,
  links: [REFERENCE, { label: 'GraphiQL', path: '/graphql' }, OPENAPI],
  auth: requiresToken
    ? {
        kind: 'token',
        ...(tokenIssuer ? { issuer: tokenIssuer } : {}),
        ...rights,
        hasDeveloperTokens: issuer !== undefined,
      }
    : { kind: 'none' },
  offer,
  fields: [...fields],
});

/** Settings of a deployed console. `signIn` is undefined if the service requires no tokens. */
export const createDeployedSettings = (
  fields: Readonly<Record<string, FieldDeclaration>>,
  offer: Offer,
  signIn?: Omit<SignInSettings, 'kind'>,
): ConsoleSettings => ({
  links: [REFERENCE, OPENAPI],
  auth: signIn ? { kind: 'sign-in', ...signIn } : { kind: 'none' },
  offer,
  fields: Object.entries(fields).map(([name, declaration]) => ({ ...declaration, name })),
});
