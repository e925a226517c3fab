import { type Changes, type ChangesSince, createChanges, createChangesSince } from './changes.ts';
import { createErasures, type Erasures } from './erasures.ts';
import { createHistory, type History } from './history.ts';
import { createMany, type Many } from './many.ts';
import { createMe, type Me } from './me.ts';
import { createPosts, type Posts } from './posts.ts';
import { type Following, followResults, type Operation, type Result } from './subscription.ts';
import { type Auth, createTransport, type GraphqlOptions, type Retries, type TypedDocument } from './transport.ts';
import { createUsers, type OwnFields, type Users } from './users.ts';

export type { PostChange, UserChange } from './changes.ts';
export type { Erasure } from './erasures.ts';
// biome-ignore lint/performance/noBarrelFile: This is the entry of the package.
export {
  ClientError,
  type ErrorCode,
  type Issue,
  isChanged,
  isEmailTaken,
  isErased,
  isExisting,
  isInvalid,
  isNotFound,
  isTaken,
} from './errors.ts';
export type { UserHistoryEntry } from './history.ts';
export type { UpdateResult, UserUpdate } from './many.ts';
export type { Me, MyChange, MyInput, MyRecord } from './me.ts';
export type { Post, PostPage } from './posts.ts';
export type { Following, Operation, Result } from './subscription.ts';
export { findCursor } from './subscription.ts';
export type { Auth, GraphqlOptions, Retries, Signer, TypedDocument } from './transport.ts';
export type {
  Order,
  OwnFields,
  Page,
  SearchPage,
  User,
  UserChanges,
  UserFilter,
  UserInput,
  UserQuery,
} from './users.ts';
export { createKey } from './users.ts';

export type ClientOptions = {
  /** /v1/users stands under it, such as under the ApiUrl of a deployment. It is empty for pages of the same origin. */
  baseUrl: string;
  /** GraphQL has this URL, such as the GraphqlUrl of a deployment. It is `graphql` under the base by default. */
  graphqlUrl?: string;
  /** The credentials of each request; none by default. */
  auth?: Auth;
  /** What is read by GraphQL selects these own fields: changes of users, their history, and many users at once. */
  fields?: readonly string[];
  retries?: Retries;
  /** Each attempt takes this long at most, 30,000 ms by default. Infinity disables the limit. Streams must open within it. */
  timeoutMs?: number;
  /** Sends the requests, in place of the global `fetch`. */
  fetch?: typeof fetch;
};

/** A client of one deployment, whose own fields are `Fields`. */
export type Client<Fields extends OwnFields = object> = Changes<Fields> & {
  /** Lists, finds, reads and changes users. */
  users: Users<Fields> & Many<Fields> & ChangesSince<Fields> & History<Fields>;

  /** The record of the person whose token the client sends, where a field is declared with `subject`. */
  me: Me<Fields>;

  /** Lists, reads and changes posts. */
  posts: Posts;

  /** Deletes people so that nothing is left that names them. */
  erasures: Erasures;

  /** Follows any subscription for ever; with `resumes`, each stream continues after the last `cursor`. */
  subscribe(operation: Operation, following: Following & { resumes: boolean }): AsyncGenerator<Result, void, undefined>;

  /**
   * Executes any operation of GraphQL but subscriptions. Throws the first error of its answer. A mutation is sent once, as its
   * answer may be lost after it took effect. With `idempotent: true` it is retried like a query.
   */
  graphql<Data, Variables = Record<string, unknown>>(
    query: TypedDocument<Data, Variables>,
    variables?: Variables,
    options?: GraphqlOptions,
  ): Promise<Data>;
};

/** Creates a client of one deployment. `Fields` are the own fields that it declares. */
export function createClient<Fields extends OwnFields = object>(options: ClientOptions): Client<Fields> {
  const { fields = [] } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const url = options.graphqlUrl ?? `${baseUrl}/graphql`;
  const transport = createTransport(options);
  const users = createUsers<Fields>(baseUrl, url, transport);
  return {
    users: {
      ...users,
      ...createMany<Fields>(url, transport, fields, users),
      changesSince: createChangesSince<Fields>(url, transport, fields),
      ...createHistory<Fields>(url, transport, fields),
    },
    me: createMe<Fields>(baseUrl, url, transport, fields),
    posts: createPosts(url, transport),
    erasures: createErasures(url, transport),
    ...createChanges<Fields>(url, transport, fields),
    subscribe: (operation, following) => followResults(transport, url, operation, following),
    graphql: (query, variables, graphqlOptions) => transport.execute(url, { query, variables }, graphqlOptions),
  };
}
