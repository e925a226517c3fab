import type { Call } from './calls.ts';

/** What the clients of a history are about. */
export type Profile = {
  /** How many of all histories are of this kind, by comparison. */
  share: number;
  /** How often they do what. */
  weights: Partial<Record<Call['kind'], number>>;
  /** How many users there are before they begin, and how many posts of the first of them. */
  users: [least: number, most: number];
  posts: [least: number, most: number];
  /** The longest pause before an operation, in ms. */
  pause: number;
  /** Whether these users are in the page index, and the indexer runs beside the clients. */
  isIndexed: boolean;
  /** What a subscriber follows meanwhile. */
  follows: 'users' | 'posts' | undefined;
};

export const PROFILES: Profile[] = [
  {
    share: 3,
    weights: { create: 3, get: 2, find: 2, update: 7, delete: 2, list: 1, search: 3 },
    users: [1, 3],
    posts: [0, 0],
    pause: 60,
    isIndexed: false,
    follows: 'users',
  },
  {
    share: 3,
    weights: { create: 5, update: 4, find: 3, delete: 3 },
    users: [0, 2],
    posts: [0, 0],
    pause: 30,
    isIndexed: false,
    follows: undefined,
  },
  {
    share: 3,
    weights: { createPost: 3, updatePost: 6, publishPost: 4, deletePost: 2, getPost: 3, delete: 2 },
    users: [1, 2],
    posts: [0, 5],
    pause: 40,
    isIndexed: false,
    follows: 'posts',
  },
  {
    share: 2,
    weights: { create: 3, delete: 4, list: 7, update: 1 },
    users: [4, 8],
    posts: [0, 0],
    pause: 12_000,
    isIndexed: true,
    follows: undefined,
  },
  // Users who are created and deleted while the indexer counts them.
  {
    share: 4,
    weights: { create: 8, delete: 5, list: 3 },
    users: [1, 3],
    posts: [0, 0],
    pause: 6_000,
    isIndexed: true,
    follows: undefined,
  },
];
