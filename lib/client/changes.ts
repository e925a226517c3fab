import { POST, type Post } from './posts.ts';
import { type Following, followChanges } from './subscription.ts';
import { defineOperation, type Transport } from './transport.ts';
import type { OwnFields, User } from './users.ts';

type ChangeKind = 'CREATED' | 'UPDATED' | 'DELETED';
/** `by` names who made the change as the request log does: `sub:…`, `client:…`, an ARN, a hash, `anonymous` or `system`. */
export type Change = { cursor: string; kind: ChangeKind; id: string; at: string; by: string | null };

/** `user` is the user as the change left it; null if it was deleted. Own fields are selected by name. */
export type UserChange<User> = Change & { user: User | null };
export type PostChange = Change & { post: Post | null };

/** `after` is a cursor, or a time in ISO 8601; without it, changes are followed from now on. */
type After = { after?: string | undefined };

export type Changes<Fields extends OwnFields = object> = {
  /** Follows the changes of all users, or of one, for ever: it reconnects, without gaps, until the signal is aborted. */
  changes(options?: { user?: string } & After & Following): AsyncGenerator<UserChange<User<Fields>>, void, undefined>;

  /** Follows the changes of an author's posts for ever, as `changes` does. */
  postChanges(options: { author: string } & After & Following): AsyncGenerator<PostChange, void, undefined>;
};

type SinceOptions = {
  pageSize?: number;
  /** Gets a cursor to store once all changes before it are taken, also if there are none. The next call continues with it. */
  onCursor?: (cursor: string) => void | Promise<void>;
  signal?: AbortSignal | undefined;
};

export type ChangesSince<Fields extends OwnFields = object> = {
  /**
   * Lists the changes of all users since a time, or after a cursor, in their order, with deletions, and ends with the last one.
   * Without a start, begins with the oldest change that is kept. Throws BAD_USER_INPUT if the changes do not reach back so far.
   */
  changesSince(
    start?: string | Date,
    options?: SinceOptions,
  ): AsyncGenerator<UserChange<User<Fields>>, void, undefined>;
};

/** Reads pages of changes from GraphQL. */
export function createChangesSince<Fields extends OwnFields>(
  url: string,
  { execute }: Transport,
  fields: readonly string[],
): ChangesSince<Fields>['changesSince'] {
  const query = userChangesDocument(fields);

  return async function* changesSince(start, { pageSize = 100, onCursor, signal } = {}) {
    for (let after = start instanceof Date ? start.toISOString() : start; ; ) {
      const { userChanges } = await execute(url, { query, variables: { after, first: pageSize } }, { signal });
      // The document selects the own fields.
      yield* userChanges.nodes as UserChange<User<Fields>>[];
      after = userChanges.pageInfo.endCursor;
      await onCursor?.(after);
      if (!userChanges.pageInfo.hasNextPage) return;
    }
  };
}

type ChangesPage = {
  userChanges: { nodes: UserChange<object>[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
};

/** Follows changes by subscriptions of GraphQL. */
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
    changes: ({ user, ...following } = {}) =>
      follow<UserChange<User<Fields>>>(userChangedDocument(fields), { id: user }, following),
    postChanges: ({ author, ...following }) => follow<PostChange>(postChangedDocument, { authorId: author }, following),
  };
}

const selectChange = (fields: readonly string[]) =>
  `cursor kind id at by user { ${['id name email version', ...fields].join(' ')} }`;

export const userChangesDocument = (fields: readonly string[]) =>
  defineOperation<ChangesPage, { after: string | undefined; first: number }>(
    `query UserChanges($after: ID, $first: Int) { userChanges(after: $after, first: $first) { nodes { ${selectChange(fields)} } pageInfo { hasNextPage endCursor } } }`,
  );

export const userChangedDocument = (fields: readonly string[]) =>
  defineOperation<{ userChanged: UserChange<object> }, { id: string | undefined; after: string | undefined }>(
    `subscription UserChanged($id: ID, $after: ID) { userChanged(id: $id, after: $after) { ${selectChange(fields)} } }`,
  );

export const postChangedDocument = defineOperation<
  { postChanged: PostChange },
  { authorId: string; after: string | undefined }
>(
  `subscription PostChanged($authorId: ID!, $after: ID) { postChanged(authorId: $authorId, after: $after) { cursor kind id at by post { ${POST} } } }`,
);
