import { sendGraphql } from './send.ts';

export type Post = { id: string; title: string; publishedAt: string | null };
/** `next` is the `after` of the next page, if there is one. */
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

/** A page of the posts after a post, oldest first. One more than it shows tells whether there are more. */
export async function listPosts(authorId: string, after?: string, signal?: AbortSignal): Promise<PostPage> {
  const variables = { authorId, first: PAGE_SIZE + 1, after };
  const { user } = await sendGraphql<{ user: { posts: Post[] } | null }>(LIST_POSTS, variables, signal);
  const posts = user?.posts ?? [];
  const page = posts.slice(0, PAGE_SIZE);
  return { posts: page, next: posts.length > PAGE_SIZE ? page.at(-1)?.id : undefined };
}

const GET_TITLE = `query GetTitle($id: ID!) {
  post(id: $id) {
    title
  }
}`;

/** Undefined for a post that was deleted. */
export async function getTitle(id: string): Promise<string | undefined> {
  const { post } = await sendGraphql<{ post: { title: string } | null }>(GET_TITLE, { id });
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
  const { createPost } = await sendGraphql<{ createPost: { post: Post } }>(CREATE_POST, { input });
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
  const { updatePost } = await sendGraphql<{ updatePost: { post: Post } }>(UPDATE_POST, { input: { id, title } });
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
  const { publishPost } = await sendGraphql<{ publishPost: { post: Post } }>(PUBLISH_POST, { input: { id } });
  return publishPost.post;
}

const DELETE_POST = `mutation DeletePost($input: DeletePostInput!) {
  deletePost(input: $input) {
    id
  }
}`;

export const deletePost = (id: string) => sendGraphql(DELETE_POST, { input: { id } });
