import {
  type PostChange,
  postChangedDocument,
  type TypedDocument,
  type UserChange,
  userChangedDocument,
} from './documents.ts';
import { createErasures } from './erasures.ts';
import { createHistory } from './history.ts';
import { createPosts } from './posts.ts';
import { type Following, followChanges, followResults, type Operation } from './subscription.ts';
import { type Auth, createTransport, type Retries } from './transport.ts';
import { createUsers, type OwnFields, type User } from './users.ts';

export type { Post, PostChange, TypedDocument, UserChange, UserHistoryEntry } from './documents.ts';
export type { Erasure } from './erasures.ts';
// biome-ignore lint/performance/noBarrelFile: This is the entry of the package.
export {
  type ErrorCode,
  type Issue,
  isChanged,
  isEmailTaken,
  isInvalid,
  isNotFound,
  isTaken,
  ServiceError,
} from './errors.ts';
export type { PostPage } from './posts.ts';
export type { Following, Operation, Result } from './subscription.ts';
export { findCursor } from './subscription.ts';
export type { Auth, Retries, Signer } from './transport.ts';
export type { Order, OwnFields, Page, SearchPage, User, UserChanges, UserInput } from './users.ts';
export { createKey } from './users.ts';

export type ClientOptions = {
  /** /v1/users stands under it, such as under the ApiUrl of a deployment. It is empty for pages of the same origin. */
  baseUrl: string;
  /** GraphQL has this URL, such as the GraphqlUrl of a deployment. It is `graphql` under the base by default. */
  graphqlUrl?: string;
  auth?: Auth;
  /** Changes of users, and their history, select these own fields, which are not known from the types. */
  fields?: readonly string[];
  retries?: Retries;
  /** It takes the place of the global one. */
  fetch?: typeof fetch;
};

/** `after` is a cursor, or a time in ISO 8601; without it, changes are followed from now on. */
type After = { after?: string | undefined };

export type Client<Fields extends OwnFields = object> = ReturnType<typeof createClient<Fields>>;

/** Creates a client of one deployment. `Fields` are the own fields that it declares. */
export function createClient<Fields extends OwnFields = object>(options: ClientOptions) {
  const { fields = [] } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const url = options.graphqlUrl ?? `${baseUrl}/graphql`;
  const transport = createTransport(options);
  const follow = <Change>(
    query: string,
    variables: Record<string, unknown>,
    { after, ...following }: After & Following,
  ) => followChanges<Change>(transport, url, { query, variables: { ...variables, after } }, following);

  return {
    users: { ...createUsers<Fields>(baseUrl, transport), history: createHistory<Fields>(url, transport, fields) },
    posts: createPosts(url, transport),
    erasures: createErasures(url, transport),

    /** Follows the changes of all users, or of one, for ever: it reconnects, without gaps, until the signal is aborted. */
    changes: ({ user, ...following }: { user?: string } & After & Following = {}) =>
      follow<UserChange<User<Fields>>>(userChangedDocument(fields), { id: user }, following),

    /** Follows the changes of an author's posts likewise. */
    postChanges: ({ author, ...following }: { author: string } & After & Following) =>
      follow<PostChange>(postChangedDocument, { authorId: author }, following),

    /** Follows any subscription for ever; with `resumes`, each stream continues after the last `cursor`. */
    subscribe: (operation: Operation, following: Following & { resumes: boolean }) =>
      followResults(transport, url, operation, following),

    /** Executes any operation of GraphQL but subscriptions. Throws the first error of its answer. */
    graphql: <Data, Variables = Record<string, unknown>>(
      query: TypedDocument<Data, Variables>,
      variables?: Variables,
      { signal }: { signal?: AbortSignal | undefined } = {},
    ): Promise<Data> => transport.execute<Data>(url, { query, variables }, signal),
  };
}
