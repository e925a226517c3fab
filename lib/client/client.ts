import { type Changes, type ChangesSince, createChanges, createChangesSince } from './changes.ts';
import { createErasures, type Erasures } from './erasures.ts';
import { createGroups, type Groups } from './groups.ts';
import { createHistory, type History } from './history.ts';
import { createMany, type Many } from './many.ts';
import { createMe, type Me } from './me.ts';
import { createMerges, type Merges } from './merge.ts';
import { createMyGroup, type MyGroup } from './my-group.ts';
import { createPosts, type Posts } from './posts.ts';
import { type Following, followResults, type Operation, type Result } from './subscription.ts';
import { createTransport, type GraphqlOptions, type TransportOptions, type TypedDocument } from './transport.ts';
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
  isExisting,
  isInvalid,
  isNotFound,
  isTaken,
} from './errors.ts';
export type { Group, GroupPage, GroupReference, Groups, Member } from './groups.ts';
export type { DeletedUser, DeletedUsersPage, HistoryPage, UserHistoryEntry } from './history.ts';
export type { UpdateResult, UpsertManyOptions, UpsertResult, UserUpdate } from './many.ts';
export type { Me, MyChange, MyData, MyInput, MyRecord, SignedIn, SignInInput } from './me.ts';
export type {
  GroupMember,
  GroupMemberChanges,
  GroupMemberInput,
  GroupMemberPage,
  MyGroup,
} from './my-group.ts';
export type { Post, PostPage } from './posts.ts';
export type { Following, Operation, Result } from './subscription.ts';
export { findCursor } from './subscription.ts';
export type { Auth, GraphqlOptions, GraphqlText, Retries, Signer, TypedDocument } from './transport.ts';
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
  UserReference,
} from './users.ts';
export { createKey } from './users.ts';

export type ClientOptions = TransportOptions & {
  /** URL of the service without `/v1/users`, such as the output ApiUrl. Empty for pages of the same origin. */
  baseUrl: string;
  /** URL of GraphQL, such as the output GraphqlUrl. Default: `/graphql` under `baseUrl`. */
  graphqlUrl?: string | undefined;
  /**
   * All own fields. GraphQL loads only these: for changes, history, and many users at once. `me.changes`
   * and `myGroup` require `fields` without hidden fields.
   */
  fields?: readonly string[] | undefined;
};

/** `Fields` is the type of the deployment's own fields. */
export type Client<Fields extends OwnFields = object> = Changes<Fields> &
  Merges<Fields> & {
    /** Lists, finds, reads and changes users. */
    users: Users<Fields> & Many<Fields> & ChangesSince<Fields> & History<Fields>;

    /** The signed-in person's own record. Requires a deployment with a subject field. */
    me: Me<Fields>;

    /** Lists, reads and changes posts. */
    posts: Posts;

    /** Lists, reads and changes groups and their members. Requires a deployment with `groups=on`. */
    groups: Groups;

    /** The group that the signed-in person administers. Requires a deployment with `groupClaim`. */
    myGroup: MyGroup<Fields>;

    /** Permanently erases users' personal data. */
    erasures: Erasures;

    /** Follows any subscription, and reconnects. `resumes`: each stream continues after the last `cursor`. */
    subscribe(
      operation: Operation,
      following: Following & { resumes: boolean },
    ): AsyncGenerator<Result, void, undefined>;

    /**
     * Runs any query or mutation. Throws the first error of the response. Retries mutations only if `idempotent` is true,
     * because a lost one may have taken effect.
     */
    graphql<Data, Variables = object>(
      query: TypedDocument<Data, Variables>,
      ...rest: GraphqlArguments<Variables>
    ): Promise<Data>;
  };

/** The variables may be omitted if all of them are optional. */
type GraphqlArguments<Variables> =
  | [variables: NoInfer<Variables>, options?: GraphqlOptions]
  | (Record<never, never> extends Variables
      ? [variables?: NoInfer<Variables> | undefined, options?: GraphqlOptions]
      : never);

/** Requires `fields` if the type has own fields: `replace` clears fields that were not loaded. */
type LoadedFields<Fields> = keyof Fields extends never ? object : { fields: readonly (keyof Fields & string)[] };

export function createClient<Fields extends OwnFields = object>(
  options: ClientOptions & LoadedFields<Fields>,
): Client<Fields> {
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
    groups: createGroups(url, transport),
    myGroup: createMyGroup<Fields>(url, transport, fields),
    erasures: createErasures(url, transport),
    ...createChanges<Fields>(url, transport, fields),
    ...createMerges<Fields>(url, transport, fields),
    subscribe: (operation, following) => followResults(transport, url, operation, following),
    graphql: (query, ...[variables, graphqlOptions]) => transport.execute(url, { query, variables }, graphqlOptions),
  };
}
