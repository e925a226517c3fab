import { rejectOptions } from './errors.ts';
import { ignoreDeleted } from './lost-answer.ts';
import { findNext, type PageInfo, readPages } from './pages.ts';
import { createSender, type Signal, type Transport, type TypedDocument } from './transport.ts';
import { createKey } from './users.ts';

export type Post = { id: string; title: string; publishedAt: string | null };

type PageRequest = { after?: string | undefined; limit?: number | undefined } & Signal;
export type PostPage = { posts: Post[]; next?: string | undefined };
type NewPost = { authorId: string; title: string; publishedAt?: string | undefined };

/** Times are ISO 8601. */
export type Posts = {
  /** Lists the author's posts, oldest first. Lists none for an unknown user. */
  list(authorId: string, options?: { pageSize?: number | undefined } & Signal): AsyncGenerator<Post, void, undefined>;

  /** Pass `next` as `after` to get the following page, if any. */
  page(authorId: string, request?: PageRequest): Promise<PostPage>;

  /** Returns null for an unknown id. */
  get(id: string, options?: Signal): Promise<(Post & { author: { id: string } }) | null>;

  /** Retries never create a second post. Pass your own key to make separate calls repeatable, too. */
  create(post: NewPost, options?: { idempotencyKey?: string | undefined } & Signal): Promise<Post>;

  /** A new author moves the post and changes its id, which contains the author. */
  update(
    id: string,
    changes: { title?: string | undefined; authorId?: string | undefined },
    options?: Signal,
  ): Promise<Post>;

  /** Publishes a draft or a scheduled post, by default now. A later time schedules it. Returns a published post unchanged. */
  publish(id: string, options?: { publishedAt?: string | undefined } & Signal): Promise<Post>;

  /** Throws NOT_FOUND for an unknown id. */
  delete(id: string, options?: Signal): Promise<void>;
};

export function createPosts(url: string, transport: Transport): Posts {
  const send = createSender(url, transport);

  const posts: Posts = {
    async *list(authorId, { pageSize = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const pages = readPages((after) => posts.page(authorId, { after, limit: pageSize, signal }));
      for await (const page of pages) yield* page.posts;
    },

    async page(authorId, { after, limit = 100, signal, ...others } = {}) {
      rejectOptions(others);
      const { user } = await send(listPostsDocument(), { authorId, first: limit, after }, signal);
      const { nodes = [], pageInfo } = user?.postsConnection ?? {};
      return { posts: nodes, next: findNext(pageInfo) };
    },

    get: async (id, { signal } = {}) => (await send(getPostDocument(), { id }, signal)).post,

    async create(post, { idempotencyKey = createKey(), signal } = {}) {
      return (await send(createPostDocument(), { input: { ...post, idempotencyKey } }, signal)).createPost.post;
    },

    async update(id, changes, { signal } = {}) {
      return (await send(updatePostDocument(), { input: { id, ...changes } }, signal)).updatePost.post;
    },

    async publish(id, { publishedAt, signal } = {}) {
      return (await send(publishPostDocument(), { input: { id, publishedAt } }, signal)).publishPost.post;
    },

    async delete(id, { signal } = {}) {
      await send(deletePostDocument, { input: { id } }, signal).catch(ignoreDeleted);
    },
  };
  return posts;
}

type PostsData = { user: { postsConnection: { nodes: Post[]; pageInfo: PageInfo } } | null };

/** Documents with this part are functions, because bundlers keep unused template literals. */
export const POST = 'id title publishedAt';

export const listPostsDocument = (): TypedDocument<
  PostsData,
  { authorId: string; first: number; after: string | undefined }
> =>
  `query ListPosts($authorId: ID!, $first: Int, $after: ID) { user(id: $authorId) { postsConnection(first: $first, after: $after) { nodes { ${POST} } pageInfo { hasNextPage endCursor } } } }`;

export const getPostDocument = (): TypedDocument<
  { post: (Post & { author: { id: string } }) | null },
  { id: string }
> => `query GetPost($id: ID!) { post(id: $id) { ${POST} author { id } } }`;

export const createPostDocument = (): TypedDocument<
  { createPost: { post: Post } },
  { input: NewPost & { idempotencyKey: string } }
> => `mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { post { ${POST} } } }`;

export const updatePostDocument = (): TypedDocument<
  { updatePost: { post: Post } },
  { input: { id: string; title?: string | undefined; authorId?: string | undefined } }
> => `mutation UpdatePost($input: UpdatePostInput!) { updatePost(input: $input) { post { ${POST} } } }`;

export const publishPostDocument = (): TypedDocument<
  { publishPost: { post: Post } },
  { input: { id: string; publishedAt: string | undefined } }
> => `mutation PublishPost($input: PublishPostInput!) { publishPost(input: $input) { post { ${POST} } } }`;

export const deletePostDocument: TypedDocument<{ deletePost: { id: string } }, { input: { id: string } }> =
  'mutation DeletePost($input: DeletePostInput!) { deletePost(input: $input) { id } }';
