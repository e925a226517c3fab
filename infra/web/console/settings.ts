import * as z from 'zod/mini';
import type { FieldDeclaration, OwnField } from '../../../lib/users/fields/declaration.ts';

/** Scopes and groups that a token needs to change users, read histories and erase people. The console hides actions that the token does not allow. */
const rights = {
  writeScope: z.optional(z.string()),
  /** The members of the group, which the claim lists, may change users. */
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

/** The local service takes tokens of an issuer where the console cannot sign in. */
const tokenSettings = z.object({
  kind: z.literal('token'),
  issuer: z.optional(z.string()),
  ...rights,
  /** The local service mints tokens itself. */
  hasDeveloperTokens: z.boolean(),
});

/** Parts of the service that settings turn off. */
const offer = z.object({
  /** Lists can be sorted by name. */
  sortByName: z.boolean(),
  /** Clients receive changes as they happen, can only read them afterwards, or the service keeps none. */
  changes: z.enum(['live', 'kept', 'none']),
});

export type Offer = z.infer<typeof offer>;

/** The console loads these from `/console.json`: they tell how its service is reached. */
export const consoleSettings = z.object({
  /** The location of the data, which only the local service tells. */
  data: z.optional(z.string()),
  /** The header links to these pages. */
  links: z.array(z.object({ label: z.string(), path: z.string() })),
  auth: z.union([z.object({ kind: z.literal('none') }), tokenSettings, signInSettings]),
  offer,
  /** The synthesis, or the start of the local service, has checked the declarations. */
  fields: z.array(z.custom<OwnField>()),
});

export type ConsoleSettings = z.infer<typeof consoleSettings>;

/** `data` is the location of the data, `tokenIssuer` the issuer of the tokens that are taken, and `issuer` the same if it runs here. */
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

/** Returns the settings of a deployed console. The service is open if there is nothing with which to sign in. */
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
