import {
  createPostDocument,
  deletePostDocument,
  getPostDocument,
  listPostsDocument,
  type Post,
  publishPostDocument,
  type TypedDocument,
  updatePostDocument,
} from './documents.ts';
import { isNotFound } from './errors.ts';
import { type Transport, wasRetried } from './transport.ts';
import { createKey } from './users.ts';

type Signal = { signal?: AbortSignal | undefined };
type PageRequest = { after?: string | undefined; limit?: number } & Signal;
export type PostPage = { posts: Post[]; next?: string };
type NewPost = { authorId: string; title: string; publishedAt?: string };

/** Sends the operations on posts to GraphQL. Times are ISO 8601. */
export function createPosts(url: string, { execute }: Transport) {
  const send = <Data, Variables>(query: TypedDocument<Data, Variables>, variables: Variables, signal?: AbortSignal) =>
    execute<Data>(url, { query, variables }, signal);

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
