import { sendGraphql } from './send.ts';

export type Post = { id: string; title: string; publishedAt: string | null };
export type PostPage = { posts: Post[]; hasMore: boolean };

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
  return { posts: posts.slice(0, PAGE_SIZE), hasMore: posts.length > PAGE_SIZE };
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

export const updatePost = (id: string, title: string) => sendGraphql(UPDATE_POST, { input: { id, title } });

const PUBLISH_POST = `mutation PublishPost($input: PublishPostInput!) {
  publishPost(input: $input) {
    post {
      id
      title
      publishedAt
    }
  }
}`;

export const publishPost = (id: string) => sendGraphql(PUBLISH_POST, { input: { id } });

const DELETE_POST = `mutation DeletePost($input: DeletePostInput!) {
  deletePost(input: $input) {
    id
  }
}`;

export const deletePost = (id: string) => sendGraphql(DELETE_POST, { input: { id } });
