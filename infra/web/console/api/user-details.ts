import { sendGraphql } from './send.ts';

export type User = { id: string; name: string; email: string; createdAt: string; updatedAt: string; version: number };

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

const GET_USER = `query GetUser($id: ID!) {
  user(id: $id) {
    ...UserFields
  }
}
${USER_FIELDS}`;

/** Null if there is no such user. */
export async function getUser(id: string, signal?: AbortSignal): Promise<User | null> {
  const { user } = await sendGraphql<{ user: User | null }>(GET_USER, { id }, signal);
  return user;
}
