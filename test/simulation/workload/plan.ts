import type { Order } from '../../../lib/users/directory.ts';
import { SETTLING_MS } from '../../../lib/users/page-index/timing.ts';
import { createRandom, type Random } from '../random.ts';
import type { Api, Call } from './calls.ts';
import { PROFILES, type Profile } from './profiles.ts';

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
  order: Order;
};

export type Plan = Pick<Profile, 'isIndexed' | 'follows'> & {
  /** Created before all else, without faults; and so many posts of the first of them. */
  users: { name: string; email: string }[];
  posts: number;
  clients: Step[][];
  /** When runs of the indexer start, in ms. */
  indexRuns: number[];
};

type Weights = Profile['weights'];

const EMAILS = ['ada@example.org', 'bea@example.org', 'cy@example.org', 'dan@example.org'];

export function createPlan(seed: string): Plan {
  const random = createRandom(`${seed} plan`);
  const { weights, users, posts, pause, isIndexed, follows } = random.pick(
    PROFILES.flatMap((profile) => Array<Profile>(profile.share).fill(profile)),
  );
  const count = random.int(...users);
  const clients = Array.from({ length: random.int(2, 4) }, (_, client) =>
    Array.from({ length: random.int(1, 4) }, (_, at) => createStep(`${'abcd'[client]}${at + 1}`, seed, weights, pause)),
  );
  return {
    users: Array.from({ length: count }, (_, at) => ({
      name: `user ${at}`,
      email: EMAILS[at] ?? `user${at}@example.org`,
    })),
    posts: random.int(...posts),
    isIndexed,
    follows,
    clients,
    indexRuns: isIndexed ? Array.from({ length: random.int(1, 4) }, () => chooseRuns(clients, random)).flat() : [],
  };
}

/** Soon after a step, or about when its write has settled, when there is most to do; and perhaps a second run beside it. */
function chooseRuns(clients: Step[][], random: Random): number[] {
  const steps = random.pick(clients);
  const upTo = random.int(1, steps.length);
  const step = steps.slice(0, upTo).reduce((sum, { pause }) => sum + pause, 0);
  const run = step + (random.chance(0.5) ? random.int(0, 500) : random.int(SETTLING_MS, SETTLING_MS + 4_000));
  return random.chance(0.3) ? [run, run + random.int(0, 3_000)] : [run];
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
    // In bursts, with long pauses between them.
    pause: random.int(0, random.chance(0.5) ? pause : pause / 50),
    // Mostly the first or the last: what clients do is to meet.
    pick: random.chance(0.5) ? random.next() ** 2 : 1 - random.next() ** 2 - Number.EPSILON,
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
    order: random.pick(['asc', 'desc']),
  };
}

function pickKind(weights: Weights, random: Random): Call['kind'] {
  // Object.entries forgets the type of the names.
  const entries = Object.entries(weights) as [Call['kind'], number][];
  return random.pick(entries.flatMap(([kind, weight]) => Array<Call['kind']>(weight).fill(kind)));
}

/** All spellings are one address. */
const spell = (email: string, random: Random) => (random.chance(0.2) ? email.toUpperCase() : email);
