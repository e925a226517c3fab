import type { Order } from '../../../lib/users/directory.ts';
import type { Role } from './memberships.ts';
import type { OwnChanges, OwnValues, Release, SortName, UniqueField } from './own-fields.ts';

/** An empty or undefined caller is anonymous. */
type By = { caller?: string | undefined };

/** `walk`, `sort`, `filter`, `search`, `members` and `listPosts` follow all pages. */
export type Call =
  | ({ kind: 'create'; name: string; email: string; own: OwnChanges; key?: string | undefined } & By)
  | { kind: 'get'; id: string }
  | { kind: 'find'; field: 'email' | UniqueField; value: string | number }
  | ({
      kind: 'update';
      id: string;
      name?: string | undefined;
      email?: string | undefined;
      own: OwnChanges;
      ifVersion?: number | undefined;
    } & By)
  | ({ kind: 'replace'; id: string; name: string; email: string; own: OwnChanges; ifVersion?: number | undefined } & By)
  /** Creates or replaces the user with the call's value of `field`. */
  | ({ kind: 'upsert'; field: 'email' | UniqueField; name: string; email: string; own: OwnChanges } & By)
  | ({ kind: 'delete'; id: string; ifVersion?: number | undefined; erase?: boolean | undefined } & By)
  | ({ kind: 'restore'; id: string } & By)
  /** Merges `other` into `id`. */
  | ({
      kind: 'merge';
      id: string;
      other: string;
      name?: string | undefined;
      email?: string | undefined;
      own: OwnChanges;
      ifVersions?: { keep: number; remove: number } | undefined;
    } & By)
  | ({ kind: 'undoMerge'; id: string } & By)
  /** An operator imports a user under a kept id, which may be new. */
  | { kind: 'import'; id: string; name: string; email: string; own: OwnChanges; kept: Kept }
  /** An operator deletes the item of a user or post in the DynamoDB console. */
  | { kind: 'deleteByHand'; id: string }
  | { kind: 'list'; page: number; limit: number; order: Order }
  | { kind: 'walk'; limit: number; order: Order }
  | { kind: 'sort'; by: SortName; limit: number; order: Order }
  | {
      kind: 'filter';
      mottos: string[];
      plan: string | undefined;
      by: SortName | undefined;
      limit: number;
      order: Order;
    }
  | { kind: 'search'; text: string; limit: number }
  | ({ kind: 'createPost'; authorId: string; title: string; key?: string | undefined } & By)
  | { kind: 'getPost'; id: string }
  | { kind: 'listPosts'; id: string; limit: number | undefined }
  | ({ kind: 'updatePost'; id: string; title: string; authorId?: string | undefined } & By)
  | ({ kind: 'publishPost'; id: string; publishedAt: string | undefined } & By)
  | ({ kind: 'deletePost'; id: string } & By)
  | ({ kind: 'createGroup'; name: string; externalId: string | undefined; key?: string | undefined } & By)
  | ({
      kind: 'updateGroup';
      id: string;
      name?: string | undefined;
      externalId?: string | null | undefined;
      ifVersion?: number | undefined;
    } & By)
  | ({ kind: 'deleteGroup'; id: string; removeMembers: boolean; ifVersion?: number | undefined } & By)
  | { kind: 'getGroup'; id: string }
  /** `id`: the user. */
  | ({
      kind: 'addMember' | 'updateMember';
      id: string;
      groupId: string;
      role: Role;
      ifVersion?: number | undefined;
    } & By)
  | ({ kind: 'removeMember'; id: string; groupId: string; ifVersion?: number | undefined } & By)
  /** Lists users of a group, or those with a role. */
  | { kind: 'members'; groupId: string; role: Role | undefined; limit: number; order: Order };

export type ApiCall = Exclude<Call, { kind: 'import' | 'deleteByHand' }>;

/** Times and version that an import file keeps. */
export type Kept = { createdAt?: string; updatedAt?: string; version?: number };

export type Api = 'enveloped' | 'bare' | 'graphql';

/** REST returns the version in a header, and not in lists. */
export type SeenUser = {
  id: string;
  name: string;
  email: string;
  fields: OwnValues;
  version?: number | undefined;
  createdAt?: string;
  updatedAt?: string;
};
export type SeenPost = { id: string; authorId: string; title: string; publishedAt: string | null };
export type SeenGroup = {
  id: string;
  name: string;
  externalId: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
};
/** `start`: users before the list. `limit`: infinite if all pages were read. */
export type SeenList = { users: SeenUser[]; total?: number | undefined; start: number; limit: number; order: Order };

export type Outcome =
  | {
      code: 'OK';
      user?: SeenUser;
      post?: SeenPost;
      group?: SeenGroup;
      list?: SeenList;
      matches?: SeenUser[];
      posts?: SeenPost[];
    }
  | { code: 'NOT_FOUND' | 'CONFLICT' | 'PRECONDITION_FAILED' | 'IDEMPOTENCY_KEY_REUSED' | 'ERASED' }
  /** A group does not exist, or the user is in too many groups. */
  | { code: 'INVALID' }
  /** The call may or may not have happened. */
  | { code: 'UNKNOWN'; why: string };

/** `next`: parameters of the next page. */
export type Page = { outcome: Outcome; next?: Record<string, string | string[]> | undefined };

/** `sent`, `answered`: positions among all requests and answers. `times` in ms. */
export type Operation = {
  id: string;
  api: Api;
  release: Release;
  call: Call;
  sent: number;
  answered: number;
  times: { sent: number; answered: number };
  /** Clock error of the Lambda environment, in ms. */
  skew: number;
  outcome: Outcome;
};

/** True for lists, which need not show a single moment: checks/lists.ts checks them. */
export const isList = ({ kind }: Call): boolean => /^(list|walk|sort|filter|search|members)/.test(kind);

/** Replaces the only non-ASCII domain by its Punycode (https://www.rfc-editor.org/rfc/rfc3492). */
export const canonicalEmail = (email: string) => email.toLowerCase().replace('bücher', 'xn--bcher-kva');

/** Formats a value of a unique field. Equal values give the same text. */
export const formatClaim = (field: string, value: string | number): string =>
  `${field} ${field === 'email' ? canonicalEmail(String(value)) : String(value).normalize('NFC').toLowerCase()}`;

/** The value that names the user of an upsert. */
export const readKey = ({ field, email, own }: Extract<Call, { kind: 'upsert' }>): string | number =>
  (field === 'email' ? email : own[field]) ?? '';

function listClaims(call: Call): string[] {
  if (!('own' in call)) return [];
  const { nickname, badge, hobby } = call.own;
  return Object.entries({ email: call.email, nickname, badge, hobby }).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [formatClaim(field, value)],
  );
}

export function isSameClaim(one: Call, other: Call): boolean {
  const claims = listClaims(other);
  return listClaims(one).some((claim) => claims.includes(claim));
}
