import type { Order } from '../../../lib/users/directory.ts';
import type { OwnChanges, OwnValues, Release, UniqueField } from './own-fields.ts';

/** It is stored with a write; an empty one, or none, is anonymous. */
type By = { caller?: string | undefined };

/** A client asks for this, whichever API carries it. Lists without a page follow the links to the end. */
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
  | ({ kind: 'delete'; id: string; ifVersion?: number | undefined; erase?: boolean | undefined } & By)
  | ({ kind: 'restore'; id: string } & By)
  /** It is no request: an operator imports a user under an id that the user has or had. */
  | { kind: 'import'; id: string; name: string; email: string; own: OwnChanges }
  | { kind: 'list'; page: number; limit: number; order: Order }
  | { kind: 'walk'; limit: number; order: Order }
  | { kind: 'search'; text: string; limit: number }
  | ({ kind: 'createPost'; authorId: string; title: string; key?: string | undefined } & By)
  | { kind: 'getPost'; id: string }
  | { kind: 'listPosts'; id: string; limit: number | undefined }
  | ({ kind: 'updatePost'; id: string; title: string; authorId?: string | undefined } & By)
  | ({ kind: 'publishPost'; id: string; publishedAt: string | undefined } & By)
  | ({ kind: 'deletePost'; id: string } & By);

/** The APIs carry it. */
export type ApiCall = Exclude<Call, { kind: 'import' }>;

export type Api = 'enveloped' | 'bare' | 'graphql';

/** GraphQL shows all. REST shows the version in a header, and not for users of a list. */
export type SeenUser = {
  id: string;
  name: string;
  email: string;
  /** The own fields, without those that have no value. */
  fields: OwnValues;
  version?: number | undefined;
  createdAt?: string;
  updatedAt?: string;
};
export type SeenPost = { id: string; authorId: string; title: string; publishedAt: string | null };
/** `start` users are before the list; `limit` is infinite where the links were followed to the end. */
export type SeenList = { users: SeenUser[]; total?: number | undefined; start: number; limit: number; order: Order };

export type Outcome =
  | { code: 'OK'; user?: SeenUser; post?: SeenPost; list?: SeenList; matches?: SeenUser[]; posts?: SeenPost[] }
  | { code: 'NOT_FOUND' | 'CONFLICT' | 'PRECONDITION_FAILED' | 'IDEMPOTENCY_KEY_REUSED' | 'ERASED' }
  /** There was no answer, or one that leaves open what was done. */
  | { code: 'UNKNOWN'; why: string };

/** One response says this, and `next` tells where the next page is: the query of a link, or a cursor. */
export type Page = { outcome: Outcome; next?: Record<string, string> | undefined };

/** A call happened in this way. `sent` and `answered` count what clients send and get, one by one; `times` are in ms. */
export type Operation = {
  id: string;
  api: Api;
  release: Release;
  call: Call;
  sent: number;
  answered: number;
  times: { sent: number; answered: number };
  /** The clock was off by so many ms in the environment that served it. */
  skew: number;
  outcome: Outcome;
};

/** Lists need not show the truth of one moment; they are checked by themselves. */
export const isList = ({ kind }: Call): boolean => /^(list|walk|search)/.test(kind);

/** It knows the spellings of the workload: https://www.rfc-editor.org/rfc/rfc3492 names the one domain that is not ASCII. */
export const canonicalEmail = (email: string) => email.toLowerCase().replace('bücher', 'xn--bcher-kva');

/** Equal texts stand for values that only one user may have. */
export const formatClaim = (field: string, value: string | number): string =>
  `${field} ${field === 'email' ? canonicalEmail(String(value)) : String(value).normalize('NFC').toLowerCase()}`;

/** Returns the values that a call gives a user and that only one user may have. */
function listClaims(call: Call): string[] {
  if (!('own' in call)) return [];
  const { nickname, badge, hobby } = call.own;
  return Object.entries({ email: call.email, nickname, badge, hobby }).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [formatClaim(field, value)],
  );
}

/** Tells whether two calls give a user the same value that only one user may have. */
export function isSameClaim(one: Call, other: Call): boolean {
  const claims = listClaims(other);
  return listClaims(one).some((claim) => claims.includes(claim));
}
