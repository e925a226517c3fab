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

export const userChangedDocument = (fields: readonly string[]) =>
  defineOperation<{ userChanged: UserChange<object> }, { id: string | undefined; after: string | undefined }>(
    `subscription UserChanged($id: ID, $after: ID) { userChanged(id: $id, after: $after) { cursor kind id at by user { ${['id name email version', ...fields].join(' ')} } } }`,
  );

export const postChangedDocument = defineOperation<
  { postChanged: PostChange },
  { authorId: string; after: string | undefined }
>(
  `subscription PostChanged($authorId: ID!, $after: ID) { postChanged(authorId: $authorId, after: $after) { cursor kind id at by post { ${POST} } } }`,
);
