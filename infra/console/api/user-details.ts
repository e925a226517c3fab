import type { Post } from './posts.ts';
import { sendGraphql } from './send.ts';

export type User = { id: string; name: string; email: string; createdAt: string; updatedAt: string; version: number };
export type UserWithPosts = User & { posts: Post[] };

const GET_USER = `query GetUser($id: ID!, $posts: Int!) {
  user(id: $id) {
    id
    name
    email
    createdAt
    updatedAt
    version
    posts(first: $posts) {
      id
      title
      publishedAt
    }
  }
}`;

/** The user with the first posts; null if there is no such user. */
export async function getUser(id: string, posts: number, signal?: AbortSignal): Promise<UserWithPosts | null> {
  const { user } = await sendGraphql<{ user: UserWithPosts | null }>(GET_USER, { id, posts }, signal);
  return user;
}
