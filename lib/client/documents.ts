/** A GraphQL document that knows the types of its data and variables; tools read them from `__types`. */
export type TypedDocument<Data, Variables> = string & { __types?: (variables: Variables) => Data };

/** The types cannot be inferred from the text. A test validates each document with the schema. */
const define = <Data, Variables>(text: string): TypedDocument<Data, Variables> => text;

export type Post = { id: string; title: string; publishedAt: string | null };
export type ChangeKind = 'CREATED' | 'UPDATED' | 'DELETED';
/** `by` names who made the change as the request log does: `sub:…`, `client:…`, an ARN, a hash, `anonymous` or `system`. */
type Change = { cursor: string; kind: ChangeKind; id: string; at: string; by: string | null };

type PostPage = {
  user: { postsConnection: { nodes: Post[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } | null;
};

const POST = 'id title publishedAt';

export const listPostsDocument = define<PostPage, { authorId: string; first: number; after: string | undefined }>(
  `query ListPosts($authorId: ID!, $first: Int, $after: ID) { user(id: $authorId) { postsConnection(first: $first, after: $after) { nodes { ${POST} } pageInfo { hasNextPage endCursor } } } }`,
);

export const getPostDocument = define<{ post: (Post & { author: { id: string } }) | null }, { id: string }>(
  `query GetPost($id: ID!) { post(id: $id) { ${POST} author { id } } }`,
);

type PostInput = { authorId: string; title: string; publishedAt?: string | undefined; idempotencyKey: string };

export const createPostDocument = define<{ createPost: { post: Post } }, { input: PostInput }>(
  `mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { post { ${POST} } } }`,
);

export const updatePostDocument = define<
  { updatePost: { post: Post } },
  { input: { id: string; title?: string | undefined } }
>(`mutation UpdatePost($input: UpdatePostInput!) { updatePost(input: $input) { post { ${POST} } } }`);

export const publishPostDocument = define<
  { publishPost: { post: Post } },
  { input: { id: string; publishedAt?: string | undefined } }
>(`mutation PublishPost($input: PublishPostInput!) { publishPost(input: $input) { post { ${POST} } } }`);

export const deletePostDocument = define<{ deletePost: { id: string } }, { input: { id: string } }>(
  'mutation DeletePost($input: DeletePostInput!) { deletePost(input: $input) { id } }',
);

/** `user` is the user as the change left it; null if it was deleted. Own fields are selected by name. */
export type UserChange<User> = Change & { user: User | null };
export type PostChange = Change & { post: Post | null };

export const userChangedDocument = (fields: readonly string[]) =>
  define<{ userChanged: UserChange<object> }, { id: string | undefined; after: string | undefined }>(
    `subscription UserChanged($id: ID, $after: ID) { userChanged(id: $id, after: $after) { cursor kind id at by user { ${['id name email version', ...fields].join(' ')} } } }`,
  );

export const postChangedDocument = define<{ postChanged: PostChange }, { authorId: string; after: string | undefined }>(
  `subscription PostChanged($authorId: ID!, $after: ID) { postChanged(authorId: $authorId, after: $after) { cursor kind id at by post { ${POST} } } }`,
);

/** The user before and after a change; null before the first, and once deleted. `changed` names the members that differ. */
export type UserHistoryEntry<User> = Pick<Change, 'kind' | 'at' | 'by'> & {
  version: number | null;
  before: User | null;
  after: User | null;
  changed: string[];
};

export type HistoryPage = {
  userHistory: { nodes: UserHistoryEntry<object>[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

export const userHistoryDocument = (fields: readonly string[]) => {
  const user = `{ ${['id name email version', ...fields].join(' ')} }`;
  return define<HistoryPage, { id: string; first: number; after: string | undefined }>(
    `query UserHistory($id: ID!, $first: Int, $after: String) { userHistory(id: $id, first: $first, after: $after) { nodes { at by kind version changed before ${user} after ${user} } pageInfo { hasNextPage endCursor } } }`,
  );
};
