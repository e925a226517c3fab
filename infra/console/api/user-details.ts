import type { Post } from './posts.ts';
import { sendGraphql } from './send.ts';

export type User = { id: string; name: string; email: string; createdAt: string; updatedAt: string; version: number };
export type UserWithPosts = User & { posts: Post[] };

/** To be appended to an operation that spreads it. */
export const USER_FIELDS = `
fragment UserFields on User {
  id
  name
  email
  createdAt
  updatedAt
  version
}`;

const GET_USER = `query GetUser($id: ID!, $posts: Int!) {
  user(id: $id) {
    ...UserFields
    posts(first: $posts) {
      id
      title
      publishedAt
    }
  }
}
${USER_FIELDS}`;

/** The user with the first posts; null if there is no such user. */
export async function getUser(id: string, posts: number, signal?: AbortSignal): Promise<UserWithPosts | null> {
  const { user } = await sendGraphql<{ user: UserWithPosts | null }>(GET_USER, { id, posts }, signal);
  return user;
}

const GET_CURRENT_USER = `query GetCurrentUser($id: ID!) { user(id: $id) { ...UserFields } } ${USER_FIELDS}`;

export async function getCurrentUser(id: string, signal?: AbortSignal): Promise<User | null> {
  const { user } = await sendGraphql<{ user: User | null }>(GET_CURRENT_USER, { id }, signal);
  return user;
}
