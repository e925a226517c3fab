import { rejectOptions } from './errors.ts';
import { POST, type Post } from './posts.ts';
import { type Following, followChanges } from './subscription.ts';
import type { Signal, Transport, TypedDocument } from './transport.ts';
import { type OwnFields, removeNulls, selectUser, type User } from './users.ts';

type ChangeKind = 'CREATED' | 'UPDATED' | 'DELETED';
/** `by` is the caller: `sub:…`, `client:…`, an ARN, a hash, `anonymous` or `system`. */
export type Change = { cursor: string; kind: ChangeKind; id: string; at: string; by: string | null };

/**
 * `user` is the user after the change, or null for a deletion, which counts as a version, too. `changed` names the
 * changed members.
 */
export type UserChange<User> = Change & { version: number | null; changed: string[]; user: User | null };
export type PostChange = Change & { post: Post | null };

/** `after` is a cursor or an ISO 8601 time. Default: now. */
type After = { after?: string | undefined };

export type Changes<Fields extends OwnFields = object> = {
  /** Follows the changes of all users, or of one. Reconnects without gaps until the signal is aborted. */
  changes(
    options?: { user?: string | undefined } & After & Following,
  ): AsyncGenerator<UserChange<User<Fields>>, void, undefined>;

  /** Follows the changes of an author's posts, like `changes`. */
  postChanges(options: { author: string } & After & Following): AsyncGenerator<PostChange, void, undefined>;
};

type SinceOptions = Signal & {
  pageSize?: number | undefined;
  /** Called after each page, even an empty one. Pass the cursor as `start` to continue there. */
  onCursor?: ((cursor: string) => void | Promise<void>) | undefined;
};

export type ChangesSince<Fields extends OwnFields = object> = {
  /**
   * Lists all changes of users, oldest first, and ends with the latest. `start` is a time or cursor. Default: the
   * oldest change. Throws BAD_USER_INPUT if older changes have expired.
   */
  changesSince(
    start?: string | Date,
    options?: SinceOptions,
  ): AsyncGenerator<UserChange<User<Fields>>, void, undefined>;
};

export function createChangesSince<Fields extends OwnFields>(
  url: string,
  { execute }: Transport,
  fields: readonly string[],
): ChangesSince<Fields>['changesSince'] {
  const query = userChangesDocument(fields);

  return async function* changesSince(start, { pageSize = 100, onCursor, signal, ...others } = {}) {
    rejectOptions(others);
    for (let after = start instanceof Date ? start.toISOString() : start; ; ) {
      const { userChanges } = await execute(url, { query, variables: { after, first: pageSize } }, { signal });
      yield* userChanges.nodes.map(toChange<Fields>);
      after = userChanges.pageInfo.endCursor;
      await onCursor?.(after);
      if (!userChanges.pageInfo.hasNextPage) return;
    }
  };
}

const toChange = <Fields extends OwnFields>({ user, ...change }: UserChange<object>): UserChange<User<Fields>> => ({
  ...change,
  user: user && removeNulls(user),
});

type ChangesPage = {
  userChanges: { nodes: UserChange<object>[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
};

export function createChanges<Fields extends OwnFields>(
  url: string,
  transport: Transport,
  fields: readonly string[],
): Changes<Fields> {
  const follow = <Change>(
    query: string,
    variables: Record<string, unknown>,
    { after, ...following }: After & Following,
  ) => followChanges<Change>(transport, url, { query, variables: { ...variables, after } }, following);

  return {
    async *changes({ user, ...following } = {}) {
      const changes = follow<UserChange<object>>(userChangedDocument(fields), { id: user }, following);
      for await (const change of changes) yield toChange<Fields>(change);
    },
    postChanges: ({ author, ...following }) =>
      follow<PostChange>(postChangedDocument(), { authorId: author }, following),
  };
}

const selectChange = (fields: readonly string[]) =>
  `cursor kind id at by version changed user { ${selectUser(fields)} }`;

export const userChangesDocument = (
  fields: readonly string[],
): TypedDocument<ChangesPage, { after: string | undefined; first: number }> =>
  `query UserChanges($after: ID, $first: Int) { userChanges(after: $after, first: $first) { nodes { ${selectChange(fields)} } pageInfo { hasNextPage endCursor } } }`;

export const userChangedDocument = (fields: readonly string[]): string =>
  `subscription UserChanged($id: ID, $after: ID) { userChanged(id: $id, after: $after) { ${selectChange(fields)} } }`;

export const postChangedDocument = (): string =>
  `subscription PostChanged($authorId: ID!, $after: ID) { postChanged(authorId: $authorId, after: $after) { cursor kind id at by post { ${POST} } } }`;
