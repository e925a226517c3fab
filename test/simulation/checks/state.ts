import type { Outcome, SeenPost, SeenUser } from '../workload/calls.ts';

type User = { name: string; email: string; version: number };
type Post = Omit<SeenPost, 'id'>;

/** What the service should hold, if every call were done at one moment. */
export type State = {
  users: Record<string, User>;
  posts: Record<string, Post>;
  /** By idempotency key: what the first request asked for and created. */
  keys: Record<string, { input: string; id: string }>;
};

export const EMPTY: State = { users: {}, posts: {}, keys: {} };

const canonical = (email: string) => email.toLowerCase();

/** The user who has an address, in any spelling. */
export const findOwner = ({ users }: State, email: string) =>
  Object.keys(users).find((id) => canonical(users[id]?.email ?? '') === canonical(email));

/** What an answer shows of a user or post. */
export type Seen = { user?: SeenUser; post?: SeenPost };

/** What a call does to the state and answers. */
export type Run = { code: Outcome['code']; next: State; seen: Seen };
