// Generated from schema.graphql by `npm run generate`; a test checks that it is current. Do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { User as UserModel } from '../../users/schema.ts';
import type { Post as PostModel } from '../../posts/schema.ts';
import type { UserConnection as UserConnectionModel } from './user-connection.ts';
import type { GraphqlContext } from '../context.ts';
export type Maybe<T> = T | null | undefined;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A time in ISO 8601, returned in UTC. */
  DateTime: { input: Date; output: Date | string; }
};

export type User = {
  /** A UUIDv7, so ids sort in order of creation. */
  id: Scalars['ID']['output'];
  name: Scalars['String']['output'];
  email: Scalars['String']['output'];
  createdAt: Scalars['DateTime']['output'];
  updatedAt: Scalars['DateTime']['output'];
  /** Starts at 1; every write adds 1. Mutations accept it as ifVersion. */
  version: Scalars['Int']['output'];
  /** Oldest first. Without first: all posts. after is the id of a post. */
  posts: Array<Post>;
};


export type UserPostsArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['ID']['input']>;
};

export type Post = {
  id: Scalars['ID']['output'];
  title: Scalars['String']['output'];
  /** Null until the post is published. */
  publishedAt?: Maybe<Scalars['DateTime']['output']>;
  author: User;
};

export type PageInfo = {
  hasNextPage: Scalars['Boolean']['output'];
  hasPreviousPage: Scalars['Boolean']['output'];
  startCursor?: Maybe<Scalars['String']['output']>;
  endCursor?: Maybe<Scalars['String']['output']>;
};

export type UserEdge = {
  cursor: Scalars['String']['output'];
  node: User;
};

/** https://relay.dev/graphql/connections.htm */
export type UserConnection = {
  edges: Array<UserEdge>;
  pageInfo: PageInfo;
  /** The number of all users, not only of those on this page. */
  totalCount: Scalars['Int']['output'];
};

/** An order by time of creation. */
export type SortOrder =
  /** Oldest first. */
  | 'ASC'
  /** Newest first. */
  | 'DESC';

export type Query = {
  user?: Maybe<User>;
  userByEmail?: Maybe<User>;
  /** first must be from 1 to 100. */
  users: UserConnection;
  post?: Maybe<Post>;
};


export type QueryUserArgs = {
  id: Scalars['ID']['input'];
};


export type QueryUserByEmailArgs = {
  email: Scalars['String']['input'];
};


export type QueryUsersArgs = {
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  order?: InputMaybe<SortOrder>;
};


export type QueryPostArgs = {
  id: Scalars['ID']['input'];
};

export type CreateUserInput = {
  name: Scalars['String']['input'];
  email: Scalars['String']['input'];
  /** Repeating the mutation with the same key and input within 24 hours returns the first result and creates nothing. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
};

export type ReplaceUserInput = {
  id: Scalars['ID']['input'];
  name: Scalars['String']['input'];
  email: Scalars['String']['input'];
  /** Fails with PRECONDITION_FAILED unless the user has this version. */
  ifVersion?: InputMaybe<Scalars['Int']['input']>;
};

export type UpdateUserInput = {
  id: Scalars['ID']['input'];
  name?: InputMaybe<Scalars['String']['input']>;
  email?: InputMaybe<Scalars['String']['input']>;
  /** Fails with PRECONDITION_FAILED unless the user has this version. */
  ifVersion?: InputMaybe<Scalars['Int']['input']>;
};

export type DeleteUserInput = {
  id: Scalars['ID']['input'];
  /** Fails with PRECONDITION_FAILED unless the user has this version. */
  ifVersion?: InputMaybe<Scalars['Int']['input']>;
};

export type CreatePostInput = {
  authorId: Scalars['ID']['input'];
  title: Scalars['String']['input'];
  publishedAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Repeating the mutation with the same key and input within 24 hours returns the first result and creates nothing. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
};

export type UpdatePostInput = {
  id: Scalars['ID']['input'];
  title?: InputMaybe<Scalars['String']['input']>;
};

export type PublishPostInput = {
  id: Scalars['ID']['input'];
  /** Default: now. */
  publishedAt?: InputMaybe<Scalars['DateTime']['input']>;
};

export type DeletePostInput = {
  id: Scalars['ID']['input'];
};

export type CreateUserPayload = {
  user: User;
};

export type ReplaceUserPayload = {
  user: User;
};

export type UpdateUserPayload = {
  user: User;
};

export type DeleteUserPayload = {
  id: Scalars['ID']['output'];
};

export type CreatePostPayload = {
  post: Post;
};

export type UpdatePostPayload = {
  post: Post;
};

export type PublishPostPayload = {
  post: Post;
};

export type DeletePostPayload = {
  id: Scalars['ID']['output'];
};

export type Mutation = {
  createUser: CreateUserPayload;
  replaceUser: ReplaceUserPayload;
  updateUser: UpdateUserPayload;
  /** The user's posts are deleted within seconds. */
  deleteUser: DeleteUserPayload;
  createPost: CreatePostPayload;
  updatePost: UpdatePostPayload;
  /** Does not change a post that is already published. */
  publishPost: PublishPostPayload;
  deletePost: DeletePostPayload;
};


export type MutationCreateUserArgs = {
  input: CreateUserInput;
};


export type MutationReplaceUserArgs = {
  input: ReplaceUserInput;
};


export type MutationUpdateUserArgs = {
  input: UpdateUserInput;
};


export type MutationDeleteUserArgs = {
  input: DeleteUserInput;
};


export type MutationCreatePostArgs = {
  input: CreatePostInput;
};


export type MutationUpdatePostArgs = {
  input: UpdatePostInput;
};


export type MutationPublishPostArgs = {
  input: PublishPostInput;
};


export type MutationDeletePostArgs = {
  input: DeletePostInput;
};

export type ChangeKind =
  | 'CREATED'
  | 'UPDATED'
  | 'DELETED';

export type UserChange = {
  /** Pass it as after to resume after this change. */
  cursor: Scalars['ID']['output'];
  kind: ChangeKind;
  id: Scalars['ID']['output'];
  at: Scalars['DateTime']['output'];
  /** The user as this change left it; null if it was deleted. */
  user?: Maybe<User>;
};

export type PostChange = {
  /** Pass it as after to resume after this change. */
  cursor: Scalars['ID']['output'];
  kind: ChangeKind;
  id: Scalars['ID']['output'];
  at: Scalars['DateTime']['output'];
  /** The post as this change left it; null if it was deleted. */
  post?: Maybe<Post>;
};

export type Subscription = {
  /** Changes of one user, or of all users: after a cursor, from an ISO 8601 time, or from now on. */
  userChanged: UserChange;
  /** Changes of one author's posts: after a cursor, from an ISO 8601 time, or from now on. */
  postChanged: PostChange;
};


export type SubscriptionUserChangedArgs = {
  id?: InputMaybe<Scalars['ID']['input']>;
  after?: InputMaybe<Scalars['ID']['input']>;
};


export type SubscriptionPostChangedArgs = {
  authorId: Scalars['ID']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  User: ResolverTypeWrapper<UserModel>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Post: ResolverTypeWrapper<PostModel>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  UserEdge: ResolverTypeWrapper<Omit<UserEdge, 'node'> & { node: ResolversTypes['User'] }>;
  UserConnection: ResolverTypeWrapper<UserConnectionModel>;
  SortOrder: SortOrder;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  CreateUserInput: CreateUserInput;
  ReplaceUserInput: ReplaceUserInput;
  UpdateUserInput: UpdateUserInput;
  DeleteUserInput: DeleteUserInput;
  CreatePostInput: CreatePostInput;
  UpdatePostInput: UpdatePostInput;
  PublishPostInput: PublishPostInput;
  DeletePostInput: DeletePostInput;
  CreateUserPayload: ResolverTypeWrapper<Omit<CreateUserPayload, 'user'> & { user: ResolversTypes['User'] }>;
  ReplaceUserPayload: ResolverTypeWrapper<Omit<ReplaceUserPayload, 'user'> & { user: ResolversTypes['User'] }>;
  UpdateUserPayload: ResolverTypeWrapper<Omit<UpdateUserPayload, 'user'> & { user: ResolversTypes['User'] }>;
  DeleteUserPayload: ResolverTypeWrapper<DeleteUserPayload>;
  CreatePostPayload: ResolverTypeWrapper<Omit<CreatePostPayload, 'post'> & { post: ResolversTypes['Post'] }>;
  UpdatePostPayload: ResolverTypeWrapper<Omit<UpdatePostPayload, 'post'> & { post: ResolversTypes['Post'] }>;
  PublishPostPayload: ResolverTypeWrapper<Omit<PublishPostPayload, 'post'> & { post: ResolversTypes['Post'] }>;
  DeletePostPayload: ResolverTypeWrapper<DeletePostPayload>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ChangeKind: ChangeKind;
  UserChange: ResolverTypeWrapper<Omit<UserChange, 'user'> & { user?: Maybe<ResolversTypes['User']> }>;
  PostChange: ResolverTypeWrapper<Omit<PostChange, 'post'> & { post?: Maybe<ResolversTypes['Post']> }>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  DateTime: Scalars['DateTime']['output'];
  User: UserModel;
  ID: Scalars['ID']['output'];
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Post: PostModel;
  PageInfo: PageInfo;
  Boolean: Scalars['Boolean']['output'];
  UserEdge: Omit<UserEdge, 'node'> & { node: ResolversParentTypes['User'] };
  UserConnection: UserConnectionModel;
  Query: Record<PropertyKey, never>;
  CreateUserInput: CreateUserInput;
  ReplaceUserInput: ReplaceUserInput;
  UpdateUserInput: UpdateUserInput;
  DeleteUserInput: DeleteUserInput;
  CreatePostInput: CreatePostInput;
  UpdatePostInput: UpdatePostInput;
  PublishPostInput: PublishPostInput;
  DeletePostInput: DeletePostInput;
  CreateUserPayload: Omit<CreateUserPayload, 'user'> & { user: ResolversParentTypes['User'] };
  ReplaceUserPayload: Omit<ReplaceUserPayload, 'user'> & { user: ResolversParentTypes['User'] };
  UpdateUserPayload: Omit<UpdateUserPayload, 'user'> & { user: ResolversParentTypes['User'] };
  DeleteUserPayload: DeleteUserPayload;
  CreatePostPayload: Omit<CreatePostPayload, 'post'> & { post: ResolversParentTypes['Post'] };
  UpdatePostPayload: Omit<UpdatePostPayload, 'post'> & { post: ResolversParentTypes['Post'] };
  PublishPostPayload: Omit<PublishPostPayload, 'post'> & { post: ResolversParentTypes['Post'] };
  DeletePostPayload: DeletePostPayload;
  Mutation: Record<PropertyKey, never>;
  UserChange: Omit<UserChange, 'user'> & { user?: Maybe<ResolversParentTypes['User']> };
  PostChange: Omit<PostChange, 'post'> & { post?: Maybe<ResolversParentTypes['Post']> };
  Subscription: Record<PropertyKey, never>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type UserResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['User'] = ResolversParentTypes['User']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  email?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  posts?: Resolver<Array<ResolversTypes['Post']>, ParentType, ContextType, Partial<UserPostsArgs>>;
};

export type PostResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Post'] = ResolversParentTypes['Post']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  publishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  author?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type UserEdgeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UserEdge'] = ResolversParentTypes['UserEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type UserConnectionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UserConnection'] = ResolversParentTypes['UserConnection']> = {
  edges?: Resolver<Array<ResolversTypes['UserEdge']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<QueryUserArgs, 'id'>>;
  userByEmail?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType, RequireFields<QueryUserByEmailArgs, 'email'>>;
  users?: Resolver<ResolversTypes['UserConnection'], ParentType, ContextType, RequireFields<QueryUsersArgs, 'first' | 'order'>>;
  post?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType, RequireFields<QueryPostArgs, 'id'>>;
};

export type CreateUserPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CreateUserPayload'] = ResolversParentTypes['CreateUserPayload']> = {
  user?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type ReplaceUserPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['ReplaceUserPayload'] = ResolversParentTypes['ReplaceUserPayload']> = {
  user?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type UpdateUserPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UpdateUserPayload'] = ResolversParentTypes['UpdateUserPayload']> = {
  user?: Resolver<ResolversTypes['User'], ParentType, ContextType>;
};

export type DeleteUserPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DeleteUserPayload'] = ResolversParentTypes['DeleteUserPayload']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type CreatePostPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['CreatePostPayload'] = ResolversParentTypes['CreatePostPayload']> = {
  post?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
};

export type UpdatePostPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UpdatePostPayload'] = ResolversParentTypes['UpdatePostPayload']> = {
  post?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
};

export type PublishPostPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PublishPostPayload'] = ResolversParentTypes['PublishPostPayload']> = {
  post?: Resolver<ResolversTypes['Post'], ParentType, ContextType>;
};

export type DeletePostPayloadResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['DeletePostPayload'] = ResolversParentTypes['DeletePostPayload']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  createUser?: Resolver<ResolversTypes['CreateUserPayload'], ParentType, ContextType, RequireFields<MutationCreateUserArgs, 'input'>>;
  replaceUser?: Resolver<ResolversTypes['ReplaceUserPayload'], ParentType, ContextType, RequireFields<MutationReplaceUserArgs, 'input'>>;
  updateUser?: Resolver<ResolversTypes['UpdateUserPayload'], ParentType, ContextType, RequireFields<MutationUpdateUserArgs, 'input'>>;
  deleteUser?: Resolver<ResolversTypes['DeleteUserPayload'], ParentType, ContextType, RequireFields<MutationDeleteUserArgs, 'input'>>;
  createPost?: Resolver<ResolversTypes['CreatePostPayload'], ParentType, ContextType, RequireFields<MutationCreatePostArgs, 'input'>>;
  updatePost?: Resolver<ResolversTypes['UpdatePostPayload'], ParentType, ContextType, RequireFields<MutationUpdatePostArgs, 'input'>>;
  publishPost?: Resolver<ResolversTypes['PublishPostPayload'], ParentType, ContextType, RequireFields<MutationPublishPostArgs, 'input'>>;
  deletePost?: Resolver<ResolversTypes['DeletePostPayload'], ParentType, ContextType, RequireFields<MutationDeletePostArgs, 'input'>>;
};

export type UserChangeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['UserChange'] = ResolversParentTypes['UserChange']> = {
  cursor?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ChangeKind'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  user?: Resolver<Maybe<ResolversTypes['User']>, ParentType, ContextType>;
};

export type PostChangeResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['PostChange'] = ResolversParentTypes['PostChange']> = {
  cursor?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ChangeKind'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  post?: Resolver<Maybe<ResolversTypes['Post']>, ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = GraphqlContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  userChanged?: SubscriptionResolver<ResolversTypes['UserChange'], "userChanged", ParentType, ContextType, Partial<SubscriptionUserChangedArgs>>;
  postChanged?: SubscriptionResolver<ResolversTypes['PostChange'], "postChanged", ParentType, ContextType, RequireFields<SubscriptionPostChangedArgs, 'authorId'>>;
};

export type Resolvers<ContextType = GraphqlContext> = {
  DateTime?: GraphQLScalarType;
  User?: UserResolvers<ContextType>;
  Post?: PostResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  UserEdge?: UserEdgeResolvers<ContextType>;
  UserConnection?: UserConnectionResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  CreateUserPayload?: CreateUserPayloadResolvers<ContextType>;
  ReplaceUserPayload?: ReplaceUserPayloadResolvers<ContextType>;
  UpdateUserPayload?: UpdateUserPayloadResolvers<ContextType>;
  DeleteUserPayload?: DeleteUserPayloadResolvers<ContextType>;
  CreatePostPayload?: CreatePostPayloadResolvers<ContextType>;
  UpdatePostPayload?: UpdatePostPayloadResolvers<ContextType>;
  PublishPostPayload?: PublishPostPayloadResolvers<ContextType>;
  DeletePostPayload?: DeletePostPayloadResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  UserChange?: UserChangeResolvers<ContextType>;
  PostChange?: PostChangeResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
};


