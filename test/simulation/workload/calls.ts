import type { Order } from '../../../lib/users/directory.ts';

/** What a client asks for, whichever API carries it. */
export type Call =
  | { kind: 'create'; name: string; email: string; key?: string | undefined }
  | { kind: 'get'; id: string }
  | { kind: 'find'; email: string }
  | {
      kind: 'update';
      id: string;
      name?: string | undefined;
      email?: string | undefined;
      ifVersion?: number | undefined;
    }
  | { kind: 'delete'; id: string; ifVersion?: number | undefined }
  | { kind: 'list'; page: number; limit: number; order: Order }
  | { kind: 'search'; text: string }
  | { kind: 'createPost'; authorId: string; title: string; key?: string | undefined }
  | { kind: 'getPost'; id: string }
  | { kind: 'updatePost'; id: string; title: string }
  | { kind: 'publishPost'; id: string; publishedAt: string }
  | { kind: 'deletePost'; id: string };

export type Api = 'enveloped' | 'bare' | 'graphql';

/** REST shows the version in a header, and not for a user found by address. */
export type SeenUser = { id: string; name: string; email: string; version?: number | undefined };
export type SeenPost = { id: string; authorId: string; title: string; publishedAt: string | null };
export type SeenList = { ids: string[]; total?: number | undefined; start: number; limit: number; order: Order };

export type Outcome =
  | { code: 'OK'; user?: SeenUser; post?: SeenPost; list?: SeenList; matches?: SeenUser[] }
  | { code: 'NOT_FOUND' | 'CONFLICT' | 'PRECONDITION_FAILED' | 'IDEMPOTENCY_KEY_REUSED' }
  /** No answer, or one that leaves open what was done. */
  | { code: 'UNKNOWN'; why: string };

/** A call as it happened. `sent` and `answered` count what clients send and get, one by one; `times` are in ms. */
export type Operation = {
  id: string;
  api: Api;
  call: Call;
  sent: number;
  answered: number;
  times: { sent: number; answered: number };
  outcome: Outcome;
};

/** Whether two calls give a user the same address. */
export function isSameEmail(one: Call, other: Call): boolean {
  if (one.kind === 'find' || !('email' in one && 'email' in other)) return false;
  return one.email !== undefined && one.email.toLowerCase() === other.email?.toLowerCase();
}
