import { isNotFound } from './errors.ts';
import { defineOperation, type Transport, type TypedDocument, wasRetried } from './transport.ts';
import { createKey } from './users.ts';

export type Post = { id: string; title: string; publishedAt: string | null };

type Signal = { signal?: AbortSignal | undefined };
type PageRequest = { after?: string | undefined; limit?: number } & Signal;
export type PostPage = { posts: Post[]; next?: string };
type NewPost = { authorId: string; title: string; publishedAt?: string };

/** Sends the operations on posts to GraphQL. Times are ISO 8601. */
export function createPosts(url: string, { execute }: Transport) {
  const send = <Data, Variables>(query: TypedDocument<Data, Variables>, variables: Variables, signal?: AbortSignal) =>
    execute(url, { query, variables }, signal);

  return {
    /** Lists the posts of a user, oldest first. A user who does not exist has none. */
    async *list(authorId: string, { pageSize = 100, signal }: { pageSize?: number } & Signal = {}) {
      let after: string | undefined;
      do {
        const page: PostPage = await this.page(authorId, { after, limit: pageSize, signal });
        yield* page.posts;
        after = page.next;
      } while (after);
    },

    /** Reads one page; `next` is the `after` of the following one, if there is one. */
    async page(authorId: string, { after, limit = 100, signal }: PageRequest = {}): Promise<PostPage> {
      const { user } = await send(listPostsDocument, { authorId, first: limit, after }, signal);
      const { nodes = [], pageInfo } = user?.postsConnection ?? {};
      const next = pageInfo?.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
      return { posts: nodes, ...(next === undefined ? {} : { next }) };
    },

    /** Returns null if no post has the id. */
    get: async (id: string, { signal }: Signal = {}) => (await send(getPostDocument, { id }, signal)).post,

    /** Creates one post, however often it is sent. */
    async create(post: NewPost, { idempotencyKey = createKey(), signal }: { idempotencyKey?: string } & Signal = {}) {
      return (await send(createPostDocument, { input: { ...post, idempotencyKey } }, signal)).createPost.post;
    },

    async update(id: string, changes: { title?: string }, { signal }: Signal = {}): Promise<Post> {
      return (await send(updatePostDocument, { input: { id, ...changes } }, signal)).updatePost.post;
    },

    /** Leaves a post that is published as it is. The time is now by default. */
    async publish(id: string, { publishedAt, signal }: { publishedAt?: string } & Signal = {}): Promise<Post> {
      return (await send(publishPostDocument, { input: { id, publishedAt } }, signal)).publishPost.post;
    },

    async delete(id: string, { signal }: Signal = {}): Promise<void> {
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
  { input: { id: string; title?: string | undefined } }
>(`mutation UpdatePost($input: UpdatePostInput!) { updatePost(input: $input) { post { ${POST} } } }`);

export const publishPostDocument = defineOperation<
  { publishPost: { post: Post } },
  { input: { id: string; publishedAt?: string | undefined } }
>(`mutation PublishPost($input: PublishPostInput!) { publishPost(input: $input) { post { ${POST} } } }`);

export const deletePostDocument = defineOperation<{ deletePost: { id: string } }, { input: { id: string } }>(
  'mutation DeletePost($input: DeletePostInput!) { deletePost(input: $input) { id } }',
);
