import * as z from 'zod/mini';
import { completeDeclaration, type FieldDeclaration, type OwnField } from '../../../lib/users/fields/declaration.ts';

/** The console hides actions that the token does not allow. */
const rights = {
  writeScope: z.optional(z.string()),
  /** `claim` lists the groups in a token. */
  writeGroup: z.optional(z.object({ claim: z.string(), name: z.string() })),
  historyScope: z.optional(z.string()),
  eraseScope: z.optional(z.string()),
};

export type TokenRights = z.infer<z.ZodMiniObject<typeof rights>>;

/** Authorization code flow with PKCE (RFC 7636). */
const signInSettings = z.object({
  kind: z.literal('sign-in'),
  issuer: z.string(),
  clientId: z.string(),
  scope: z.string(),
  audience: z.string(),
  ...rights,
});

export type SignInSettings = z.infer<typeof signInSettings>;

/** Local service only. `hasDeveloperTokens`: the service issues tokens itself. */
const tokenSettings = z.object({
  kind: z.literal('token'),
  issuer: z.string(),
  ...rights,
  hasDeveloperTokens: z.boolean(),
});

const offer = z.object({
  sortByName: z.boolean(),
  /** `kept`: clients can only read past changes. `none`: the service stores none. */
  changes: z.enum(['live', 'kept', 'none']),
});

export type Offer = z.infer<typeof offer>;

export const consoleSettings = z.object({
  /** Describes where the data is stored. Only set by the local service. */
  data: z.optional(z.string()),
  links: z.array(z.object({ label: z.string(), path: z.string() })),
  auth: z.union([z.object({ kind: z.literal('none') }), tokenSettings, signInSettings]),
  offer,
  /** Validated by CDK at synthesis, or at the local service's start. The setting `groups` adds the field of memberships. */
  fields: z.array(z.custom<OwnField>()),
});

export type ConsoleSettings = z.infer<typeof consoleSettings>;

/** `tokenIssuer` issues the accepted tokens. Undefined if the service requires none. */
export type LocalInfo = {
  data: string;
  tokenIssuer?: string;
  hasDeveloperTokens: boolean;
  rights: TokenRights;
  offer: Offer;
};

const REFERENCE = { label: 'Reference', path: '/docs' };
const OPENAPI = { label: 'OpenAPI', path: '/openapi.json' };

export const createLocalSettings = (
  { data, tokenIssuer, hasDeveloperTokens, rights, offer }: LocalInfo,
  fields: readonly OwnField[],
): ConsoleSettings => ({
  data,
  links: [REFERENCE, { label: 'GraphiQL', path: '/graphql' }, OPENAPI],
  auth: tokenIssuer ? { kind: 'token', issuer: tokenIssuer, ...rights, hasDeveloperTokens } : { kind: 'none' },
  offer,
  fields: [...fields],
});

/** `signIn` is undefined if the service requires no tokens. */
export const createDeployedSettings = (
  fields: Readonly<Record<string, FieldDeclaration>>,
  offer: Offer,
  signIn?: Omit<SignInSettings, 'kind'>,
): ConsoleSettings => ({
  links: [REFERENCE, OPENAPI],
  auth: signIn ? { kind: 'sign-in', ...signIn } : { kind: 'none' },
  offer,
  fields: Object.entries(fields).map(([name, declaration]) => ({ ...completeDeclaration(declaration), name })),
});
