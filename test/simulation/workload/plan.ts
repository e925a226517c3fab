import { createRandom, type Random } from '../random.ts';
import type { Api, Call } from './calls.ts';

/** One thing that a client is going to do; to which user or post is decided when it does it. */
export type Step = {
  id: string;
  api: Api;
  kind: Call['kind'];
  /** Before it, in ms. */
  pause: number;
  /** In [0, 1): which of the users or posts that are known by then. */
  pick: number;
  fields: { name?: string; email?: string };
  /** Only if the user is at the version that the client saw last. */
  isConditional: boolean;
  key: string | undefined;
  page: number;
};

export type Plan = {
  /** Created before all else, without faults. */
  users: { name: string; email: string }[];
  /** Whether these are indexed before the clients begin. */
  isIndexed: boolean;
  clients: Step[][];
  /** What a subscriber follows all the time. */
  follows: 'users' | 'posts' | undefined;
  /** When runs of the indexer start, in ms. */
  indexRuns: number[];
};

type Weights = Partial<Record<Call['kind'], number>>;

type Profile = Pick<Plan, 'follows' | 'isIndexed'> & { weights: Weights; users: [number, number]; pause: number };

const PROFILES: Profile[] = [
  {
    weights: { create: 3, get: 2, find: 2, update: 7, delete: 2, list: 1 },
    users: [1, 3],
    pause: 60,
    isIndexed: false,
    follows: 'posts',
  },
  {
    weights: { create: 5, update: 4, find: 3, delete: 3 },
    users: [0, 2],
    pause: 30,
    isIndexed: false,
    follows: undefined,
  },
  {
    weights: { createPost: 4, updatePost: 4, publishPost: 2, deletePost: 2, getPost: 3, delete: 1, update: 1 },
    users: [1, 2],
    pause: 60,
    isIndexed: false,
    follows: 'posts',
  },
  {
    weights: { create: 3, delete: 4, list: 7, update: 1 },
    users: [5, 11],
    pause: 12_000,
    isIndexed: true,
    follows: undefined,
  },
];

const EMAILS = ['ada@example.org', 'bea@example.org', 'cy@example.org', 'dan@example.org'];

export function createPlan(seed: string): Plan {
  const random = createRandom(`${seed} plan`);
  const { weights, users, pause, isIndexed, follows } = random.pick(PROFILES);
  const count = random.int(...users);
  return {
    users: Array.from({ length: count }, (_, at) => ({
      name: `user ${at}`,
      email: EMAILS[at] ?? `user${at}@example.org`,
    })),
    isIndexed,
    follows,
    clients: Array.from({ length: random.int(2, 4) }, (_, client) =>
      Array.from({ length: random.int(1, 4) }, (_, at) =>
        createStep(`${'abcd'[client]}${at + 1}`, seed, weights, pause),
      ),
    ),
    indexRuns: isIndexed ? Array.from({ length: random.int(1, 3) }, () => random.int(0, 4 * pause)) : [],
  };
}

function createStep(id: string, seed: string, weights: Weights, pause: number): Step {
  const random = createRandom(`${seed} step ${id}`);
  const kind = pickKind(weights, random);
  const key = /create/.test(kind) && random.chance(0.4) ? random.pick(['key-1', 'key-2']) : undefined;
  // The same key goes with the same input, mostly.
  const about = key && random.chance(0.85) ? createRandom(`${seed} ${key}`) : random;
  const fields = { name: `${key ?? id} ${about.int(1, 9)}`, email: spell(about.pick(EMAILS), about) };
  const parts = random.int(0, 9);
  return {
    id,
    api: /Post/.test(kind) ? 'graphql' : random.pick(['enveloped', 'bare', 'graphql']),
    kind,
    pause: random.int(0, pause),
    pick: random.next() ** 2,
    fields:
      kind !== 'update'
        ? fields
        : parts < 4
          ? { name: fields.name }
          : parts < 7
            ? { email: fields.email }
            : parts < 9
              ? fields
              : {},
    isConditional: random.chance(0.3),
    key,
    page: random.int(1, 3),
  };
}

function pickKind(weights: Weights, random: Random): Call['kind'] {
  // Object.entries forgets the type of the names.
  const entries = Object.entries(weights) as [Call['kind'], number][];
  return random.pick(entries.flatMap(([kind, weight]) => Array<Call['kind']>(weight).fill(kind)));
}

/** All spellings are one address. */
const spell = (email: string, random: Random) => (random.chance(0.2) ? email.toUpperCase() : email);
