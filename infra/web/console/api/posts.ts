import * as z from 'zod/mini';
import { sendGraphql } from './send.ts';

const post = z.object({ id: z.string(), title: z.string(), publishedAt: z.nullable(z.string()) });
const changed = z.object({ post });

export type Post = z.infer<typeof post>;
/** `next` is the `after` of the next page, and missing on the last one. */
export type PostPage = { posts: Post[]; next?: string | undefined };

const PAGE_SIZE = 20;

const LIST_POSTS = `query ListPosts($authorId: ID!, $first: Int!, $after: ID) {
  user(id: $authorId) {
    posts(first: $first, after: $after) {
      id
      title
      publishedAt
    }
  }
}`;

const listed = z.object({ user: z.nullable(z.object({ posts: z.array(post) })) });

/** Lists a page of the posts after a post, oldest first. One more is read than shown: it tells whether there are more. */
export async function listPosts(authorId: string, after?: string, signal?: AbortSignal): Promise<PostPage> {
  const variables = { authorId, first: PAGE_SIZE + 1, after };
  const { user } = await sendGraphql(LIST_POSTS, listed, variables, signal);
  const posts = user?.posts ?? [];
  const page = posts.slice(0, PAGE_SIZE);
  return { posts: page, next: posts.length > PAGE_SIZE ? page.at(-1)?.id : undefined };
}

const GET_TITLE = `query GetTitle($id: ID!) {
  post(id: $id) {
    title
  }
}`;

const titled = z.object({ post: z.nullable(z.object({ title: z.string() })) });

/** Returns undefined for a post that was deleted. */
export async function getTitle(id: string): Promise<string | undefined> {
  const { post } = await sendGraphql(GET_TITLE, titled, { id });
  return post?.title;
}

const CREATE_POST = `mutation CreatePost($input: CreatePostInput!) {
  createPost(input: $input) {
    post {
      id
      title
      publishedAt
    }
  }
}`;

export async function createPost(authorId: string, title: string, idempotencyKey: string): Promise<Post> {
  const input = { authorId, title, idempotencyKey };
  const { createPost } = await sendGraphql(CREATE_POST, z.object({ createPost: changed }), { input });
  return createPost.post;
}

const UPDATE_POST = `mutation UpdatePost($input: UpdatePostInput!) {
  updatePost(input: $input) {
    post {
      id
      title
      publishedAt
    }
  }
}`;

export async function updatePost(id: string, title: string): Promise<Post> {
  const { updatePost } = await sendGraphql(UPDATE_POST, z.object({ updatePost: changed }), { input: { id, title } });
  return updatePost.post;
}

const PUBLISH_POST = `mutation PublishPost($input: PublishPostInput!) {
  publishPost(input: $input) {
    post {
      id
      title
      publishedAt
    }
  }
}`;

export async function publishPost(id: string): Promise<Post> {
  const { publishPost } = await sendGraphql(PUBLISH_POST, z.object({ publishPost: changed }), { input: { id } });
  return publishPost.post;
}

const DELETE_POST = `mutation DeletePost($input: DeletePostInput!) {
  deletePost(input: $input) {
    id
  }
}`;

export const deletePost = (id: string) => sendGraphql(DELETE_POST, z.unknown(), { input: { id } });
