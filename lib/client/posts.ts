import { isNotFound } from './errors.ts';
import { defineOperation, type Transport, type TypedDocument, wasRetried } from './transport.ts';
import { createKey } from './users.ts';

export type Post = { id: string; title: string; publishedAt: string | null };

type Signal = { signal?: AbortSignal | undefined };
type PageRequest = { after?: string | undefined; limit?: number } & Signal;
export type PostPage = { posts: Post[]; next?: string };
type NewPost = { authorId: string; title: string; publishedAt?: string };

/** The operations on posts. Times are ISO 8601. */
export type Posts = {
  /** Lists the posts of a user, oldest first. A user who does not exist has none. */
  list(authorId: string, options?: { pageSize?: number } & Signal): AsyncGenerator<Post, void, undefined>;

  /** Reads one page of them; `next` is the `after` of the following one, if there is one. */
  page(authorId: string, request?: PageRequest): Promise<PostPage>;

  /** Returns null if no post has the id. */
  get(id: string, options?: Signal): Promise<(Post & { author: { id: string } }) | null>;

  /** Creates one post, however often it is sent: a key that is given makes calls of other processes the same one. */
  create(post: NewPost, options?: { idempotencyKey?: string } & Signal): Promise<Post>;

  /** Changes the given fields of a post. Another author moves it: a post's id names its author, so the result has another id. */
  update(id: string, changes: { title?: string; authorId?: string }, options?: Signal): Promise<Post>;

  /** Publishes a post; one that is published is left as it is. The time is now by default. */
  publish(id: string, options?: { publishedAt?: string } & Signal): Promise<Post>;

  /** Deletes the post. Throws NOT_FOUND if no post has the id. */
  delete(id: string, options?: Signal): Promise<void>;
};

/** Sends the operations on posts to GraphQL. */
export function createPosts(url: string, { execute }: Transport): Posts {
  // A create has a key, and the other mutations name the state that they lead to.
  const send = <Data, Variables>(query: TypedDocument<Data, Variables>, variables: Variables, signal?: AbortSignal) =>
    execute(url, { query, variables }, { signal, idempotent: true });

  return {
    async *list(authorId, { pageSize = 100, signal } = {}) {
      let after: string | undefined;
      do {
        const page: PostPage = await this.page(authorId, { after, limit: pageSize, signal });
        yield* page.posts;
        after = page.next;
      } while (after);
    },

    async page(authorId, { after, limit = 100, signal } = {}) {
      const { user } = await send(listPostsDocument, { authorId, first: limit, after }, signal);
      const { nodes = [], pageInfo } = user?.postsConnection ?? {};
      const next = pageInfo?.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
      return { posts: nodes, ...(next === undefined ? {} : { next }) };
    },

    get: async (id, { signal } = {}) => (await send(getPostDocument, { id }, signal)).post,

    async create(post, { idempotencyKey = createKey(), signal } = {}) {
      return (await send(createPostDocument, { input: { ...post, idempotencyKey } }, signal)).createPost.post;
    },

    async update(id, changes, { signal } = {}) {
      return (await send(updatePostDocument, { input: { id, ...changes } }, signal)).updatePost.post;
    },

    async publish(id, { publishedAt, signal } = {}) {
      return (await send(publishPostDocument, { input: { id, publishedAt } }, signal)).publishPost.post;
    },

    async delete(id, { signal } = {}) {
      try {
        await send(deletePostDocument, { input: { id } }, signal);
      } catch (error) {
        // An earlier attempt, whose answer was lost, has deleted it.
        if (!(isNotFound(error) && wasRetried(error))) throw error;
      }
    },
  };
}

type PostsData = {
  user: { postsConnection: { nodes: Post[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } } | null;
};

/** The members of a post that documents select. */
export const POST = 'id title publishedAt';

export const listPostsDocument = defineOperation<
  PostsData,
  { authorId: string; first: number; after: string | undefined }
>(
  `query ListPosts($authorId: ID!, $first: Int, $after: ID) { user(id: $authorId) { postsConnection(first: $first, after: $after) { nodes { ${POST} } pageInfo { hasNextPage endCursor } } } }`,
);

export const getPostDocument = defineOperation<{ post: (Post & { author: { id: string } }) | null }, { id: string }>(
  `query GetPost($id: ID!) { post(id: $id) { ${POST} author { id } } }`,
);

type PostInput = { authorId: string; title: string; publishedAt?: string | undefined; idempotencyKey: string };

export const createPostDocument = defineOperation<{ createPost: { post: Post } }, { input: PostInput }>(
  `mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { post { ${POST} } } }`,
);

export const updatePostDocument = defineOperation<
  { updatePost: { post: Post } },
  { input: { id: string; title?: string | undefined; authorId?: string | undefined } }
>(`mutation UpdatePost($input: UpdatePostInput!) { updatePost(input: $input) { post { ${POST} } } }`);

export const publishPostDocument = defineOperation<
  { publishPost: { post: Post } },
  { input: { id: string; publishedAt?: string | undefined } }
>(`mutation PublishPost($input: PublishPostInput!) { publishPost(input: $input) { post { ${POST} } } }`);

export const deletePostDocument = defineOperation<{ deletePost: { id: string } }, { input: { id: string } }>(
  'mutation DeletePost($input: DeletePostInput!) { deletePost(input: $input) { id } }',
);
