import { SETTLING_MS } from '../../../lib/features/page-index/timing.ts';
import type { Order } from '../../../lib/users/directory.ts';
import { EPOCH } from '../environment/globals.ts';
import { createRandom, type Random } from '../random.ts';
import type { Api, Call, Kept } from './calls.ts';
import { ROLES, type Role } from './memberships.ts';
import {
  chooseBadge,
  chooseNickname,
  chooseOwnChanges,
  MOTTOS,
  DEFAULTS as OWN_DEFAULTS,
  type OwnChanges,
  type Release,
  SORT_NAMES,
  type SortName,
} from './own-fields.ts';

/** `users`: changes of all users. `user` and `posts`: changes of the first user. */
export type Topic = 'users' | 'user' | 'posts';
export type Subscription = { topic: Topic; from: 'time' | 'now'; eventsPerConnection: number };

type Profile = {
  /** Relative frequency of this profile. */
  share: number;
  /** Relative frequencies of calls. */
  weights: Partial<Record<Call['kind'], number>>;
  /** Minimum and maximum numbers at the start. The posts belong to the first user. */
  users: [least: number, most: number];
  posts: [least: number, most: number];
  /** Maximum pause before an operation, in ms. */
  pause: number;
  /** The existing users are in the page index, and the indexer runs beside the clients. */
  isIndexed: boolean;
  follows: Topic[];
  /** Maximum number of parts, with hours in between. */
  parts: number;
  /** Switches to a restored table between parts. */
  isRestored: boolean;
  /** Probability per own field. */
  ownRate: number;
  /** Number of different values of a unique field. */
  ownValues: number;
  /** Probability that the previous release serves a write. If not 0, it also writes before all other clients. */
  previousRate: number;
  /** Probability that an import brings a new id. */
  newIds: number;
  /** Number of groups at the start. If 0, users have no memberships. */
  groups: number;
};

const DEFAULTS = {
  posts: [0, 0] as [number, number],
  isIndexed: false,
  follows: [],
  parts: 1,
  isRestored: false,
  ownRate: 0.1,
  ownValues: 3,
  previousRate: 0,
  newIds: 0,
  groups: 0,
};

const PROFILES: Profile[] = [
  {
    ...DEFAULTS,
    share: 3,
    weights: { create: 3, get: 2, find: 2, update: 5, replace: 2, delete: 2, list: 1, search: 5 },
    users: [1, 3],
    pause: 60,
    follows: ['users', 'user'],
    ownRate: 0.3,
  },
  // Creations with equal addresses, unique values and idempotency keys.
  {
    ...DEFAULTS,
    share: 3,
    weights: { create: 5, createPost: 2, update: 4, replace: 2, find: 3, delete: 2 },
    users: [0, 2],
    pause: 30,
    ownRate: 0.4,
  },
  // Upserts that create or replace the same users.
  {
    ...DEFAULTS,
    share: 3,
    weights: { upsert: 6, update: 3, create: 2, delete: 2, find: 2 },
    users: [0, 2],
    pause: 30,
    ownRate: 0.4,
    ownValues: 2,
  },
  // A deploy in which fields become unique: claims are missing or stale.
  {
    ...DEFAULTS,
    share: 3,
    weights: { create: 3, update: 8, replace: 3, find: 3, delete: 2 },
    users: [2, 3],
    pause: 30,
    ownRate: 0.6,
    ownValues: 1,
    previousRate: 0.2,
  },
  {
    ...DEFAULTS,
    share: 3,
    weights: { createPost: 3, updatePost: 5, publishPost: 4, deletePost: 2, getPost: 3, listPosts: 4, delete: 2 },
    users: [1, 2],
    posts: [0, 5],
    pause: 40,
    follows: ['posts', 'user'],
  },
  // Long lists and searches while users change.
  {
    ...DEFAULTS,
    share: 3,
    weights: { create: 2, update: 4, delete: 2, walk: 4, sort: 4, filter: 4, search: 6 },
    users: [3, 7],
    pause: 400,
    ownRate: 0.5,
  },
  {
    ...DEFAULTS,
    share: 2,
    weights: { create: 3, delete: 4, list: 6, walk: 2, update: 1 },
    users: [4, 8],
    pause: 12_000,
    isIndexed: true,
  },
  // Creations and deletions while the indexer counts users.
  {
    ...DEFAULTS,
    share: 3,
    weights: { create: 8, delete: 5, list: 3 },
    users: [1, 3],
    pause: 6_000,
    isIndexed: true,
  },
  // Deletions and returns while the indexer counts users.
  {
    ...DEFAULTS,
    share: 3,
    weights: { create: 3, delete: 6, import: 4, restore: 3, list: 3 },
    users: [1, 5],
    pause: 8_000,
    isIndexed: true,
  },
  // Imports of users with kept ids, among and around the users that the indexer counts.
  {
    ...DEFAULTS,
    share: 2,
    weights: { import: 6, create: 2, delete: 3, update: 2, list: 4, walk: 2, sort: 2, find: 1 },
    users: [1, 5],
    pause: 8_000,
    isIndexed: true,
    newIds: 0.7,
  },
  // Pauses of hours between parts, in which idempotency keys and logged changes may expire.
  {
    ...DEFAULTS,
    share: 2,
    weights: { create: 3, createPost: 3, update: 4, delete: 2, search: 2, deletePost: 1, import: 1 },
    users: [1, 2],
    posts: [0, 2],
    pause: 100,
    follows: ['users', 'posts'],
    parts: 3,
    newIds: 0.5,
  },
  // Deleted users return while their posts are being deleted.
  {
    ...DEFAULTS,
    share: 3,
    weights: { delete: 6, restore: 5, import: 4, createPost: 3, update: 2, create: 1, get: 1, listPosts: 2 },
    users: [1, 2],
    posts: [0, 5],
    pause: 1_500,
    follows: ['users', 'posts'],
    ownRate: 0.2,
  },
  // Deletions by hand, and returns afterwards. Some people are erased.
  {
    ...DEFAULTS,
    share: 2,
    weights: { deleteByHand: 6, delete: 5, import: 4, restore: 3, create: 2, createPost: 2, update: 2, find: 2 },
    users: [1, 3],
    posts: [0, 5],
    pause: 1_500,
    follows: ['users', 'posts'],
    ownRate: 0.3,
    newIds: 0.3,
  },
  // Deletions by hand, with late records and expired items.
  {
    ...DEFAULTS,
    share: 1,
    weights: { deleteByHand: 5, import: 4, delete: 2, create: 3, createPost: 1, update: 2 },
    users: [1, 3],
    posts: [0, 2],
    pause: 1_000,
    follows: ['users'],
    parts: 3,
  },
  // Deletions by hand that the page index must repair.
  {
    ...DEFAULTS,
    share: 1,
    weights: { deleteByHand: 5, import: 4, restore: 2, delete: 3, create: 4, list: 2 },
    users: [2, 6],
    pause: 8_000,
    isIndexed: true,
    newIds: 0.3,
  },
  // Merges and their undos, while users change, are deleted or erased.
  {
    ...DEFAULTS,
    share: 3,
    weights: {
      ...{ merge: 7, undoMerge: 5, update: 4, delete: 2, restore: 1, create: 2, get: 1 },
      ...{ createPost: 3, updatePost: 1, deletePost: 1, listPosts: 1 },
    },
    users: [2, 3],
    posts: [0, 5],
    pause: 1_500,
    follows: ['users', 'posts'],
    ownRate: 0.4,
    ownValues: 2,
  },
  // Switches to a restored table, where users' histories and erasures must continue.
  {
    ...DEFAULTS,
    share: 2,
    weights: { create: 2, createPost: 2, update: 4, delete: 4 },
    users: [2, 3],
    posts: [0, 2],
    pause: 100,
    parts: 2,
    isRestored: true,
  },
  // Users join and leave groups that change and are deleted.
  {
    ...DEFAULTS,
    share: 4,
    weights: {
      ...{ addMember: 6, updateMember: 3, removeMember: 3, members: 4, deleteGroup: 3, createGroup: 3, updateGroup: 2 },
      ...{ getGroup: 1, get: 1, create: 2, update: 3, replace: 1, delete: 1, restore: 1 },
    },
    users: [1, 3],
    pause: 100,
    isIndexed: true,
    follows: ['users'],
    groups: 2,
  },
  // The job of deleted groups runs beside writers.
  {
    ...DEFAULTS,
    share: 4,
    weights: {
      ...{ deleteGroup: 6, addMember: 6, createGroup: 3, members: 3, get: 1, create: 2, update: 3 },
      ...{ delete: 3, restore: 4, walk: 1 },
    },
    users: [2, 4],
    pause: 40_000,
    isIndexed: true,
    groups: 3,
  },
  // Merges join groups, some of which are deleted before the undo.
  {
    ...DEFAULTS,
    share: 2,
    weights: { addMember: 6, merge: 5, undoMerge: 5, deleteGroup: 4, update: 1, get: 1 },
    users: [2, 3],
    pause: 300,
    groups: 3,
  },
];

/** A step chooses among known users and posts when it runs. */
export type Step = {
  id: string;
  api: Api;
  kind: Call['kind'];
  /** Pause before the step, in ms. */
  pause: number;
  /** Picks a user or post. In [0, 1). */
  pick: number;
  release: Release;
  fields: { name?: string; email?: string };
  own: OwnChanges;
  /** Imports a user with this id, which is new to the table. */
  newId: string | undefined;
  kept: Kept;
  lookup: Pick<Extract<Call, { kind: 'find' }>, 'field' | 'value'>;
  /** Sends the version that the client saw last. Other calls use this as a random choice. */
  isConditional: boolean;
  key: string | undefined;
  caller: string | undefined;
  /** Deletions also erase personal data. */
  erases: boolean;
  page: number;
  limit: number;
  order: Order;
  sortBy: SortName;
  /** Conditions of a filter. Undefined: no second field. */
  mottos: string[];
  plan: string | undefined;
  text: string;
  /** Picks a group, as `pick` does. */
  groupPick: number;
  role: Role;
  /** A role only for half of the lists of members. */
  listsRole: boolean;
  /** Number of groups in a creation or an update of a user. Undefined: the call does not name groups. */
  joins: number | undefined;
  externalId: string | null | undefined;
  removesMembers: boolean;
};

/** Starts after `gap` ms. Clients run in parallel. */
export type Part = { gap: number; clients: Step[][] };

/** Reverts items, and repairs the table at `runs` (ms) while clients (`parts`) write. */
export type Repair = { parts: Step[][]; runs: number[] };

export type Plan = {
  /** Users that are created first, without faults. */
  users: { name: string; email: string; own: OwnChanges; release: Release }[];
  /** Number of the first user's posts. */
  posts: number;
  /** Number of groups that are created before the users. */
  groups: number;
  isIndexed: boolean;
  subscriptions: Subscription[];
  /** Simulates a deploy: the previous release handles some writes and stream records. */
  isDeploying: boolean;
  /** A release that declares the fields in another order handles some requests and stream records. */
  isReordering: boolean;
  /** Switches to a restored table between parts. */
  isRestored: boolean;
  parts: Part[];
  /** Start times of the indexer, in ms. */
  indexRuns: number[];
  repair: Repair | undefined;
};

/** Addresses, each with two spellings. */
const EMAILS = [
  ['ada@example.org', 'ADA@EXAMPLE.org'],
  ['bea@example.org', 'Bea@Example.ORG'],
  ['cy@xn--bcher-kva.example', 'Cy@Bücher.example'],
  ['dan@example.org', 'DAN@example.org'],
] as const;

const WORDS = ['Ada', 'Adam', 'ada', 'Édith', 'edith', 'Ångström', 'Le-Roux', 'Bea', 'Zoë'];

const TYPED = [...EMAILS.map(([email]) => email), '@example.org', 'example.org', 'aangstroem', 'roux ad', 'ed 0'];

const HOUR = 3_600_000;
/** Pauses between parts, in ms. None is about a day: the checks would not know which items have expired. */
const GAPS = [2 * HOUR, 23 * HOUR, 30 * HOUR];

export function createPlan(seed: string): Plan {
  const random = createRandom(`${seed} plan`);
  const profile = random.pick(PROFILES.flatMap((each) => Array<Profile>(each.share).fill(each)));
  const { users, posts, groups, isIndexed, follows, previousRate, isRestored } = profile;
  const isReordering = !isRestored && previousRate === 0 && createRandom(`${seed} reordering`).chance(0.25);
  const count = random.int(...users);
  const clients = Array.from({ length: random.int(2, 4) }, (_, at) => `${'abcd'[at]}`);
  const parts = Array.from({ length: random.int(Math.min(2, profile.parts), profile.parts) }, (_, part) => ({
    // Shorter pauses before a restore: records that erasures need must not expire.
    gap: part === 0 ? 0 : random.pick(isRestored ? GAPS.slice(0, 2) : GAPS),
    clients: clients.map((client) =>
      Array.from({ length: random.int(1, profile.parts > 1 ? 2 : 4) }, (_, at) =>
        createStep(`${client}${part === 0 ? '' : `${part}-`}${at + 1}`, seed, profile, isReordering),
      ),
    ),
  }));
  const steps = parts[0]?.clients ?? [];
  return {
    users: Array.from({ length: count }, (_, at) => ({
      name: `${chooseWords(random)} ${at}`,
      email: EMAILS[at]?.[0] ?? `user${at}@example.org`,
      ...chooseFirstValues(createRandom(`${seed} user ${at}`), at, profile),
    })),
    posts: random.int(...posts),
    groups,
    isIndexed,
    isDeploying: previousRate > 0,
    isReordering,
    isRestored,
    subscriptions: follows.map((topic) => ({
      topic,
      from: random.pick(['time', 'now']),
      eventsPerConnection: random.pick([1, 2, Number.POSITIVE_INFINITY]),
    })),
    parts: previousRate > 0 ? [createEarlierPart(seed, profile), ...parts] : parts,
    indexRuns: isIndexed
      ? Array.from({ length: random.int(1, 4) }, () => chooseRuns(steps, random, profile)).flat()
      : [],
    repair: planRepair(seed, profile),
  };
}

function planRepair(seed: string, profile: Profile): Repair | undefined {
  // A reverted user may be a member of a deleted group again.
  if (profile.groups > 0) return undefined;
  const random = createRandom(`${seed} repair`);
  if (!random.chance(0.3)) return undefined;
  const weights = { create: 2, update: 4, replace: 1, delete: 4, createPost: 1 };
  // `parts: 2` disables erasures, except in profiles with `isRestored`: the reverted table may lack the records of
  // erasures.
  const restored = { ...profile, weights, pause: 800, ownRate: 0.5, ownValues: 2, previousRate: 0, parts: 2 };
  const chooseSteps = (client: string) => [1, 2, 3].map((at) => createStep(`${client}${at}`, seed, restored));
  return {
    parts: ['r', 's', 't'].map(chooseSteps),
    runs: [random.int(0, 100), random.int(0, 1_000)],
  };
}

/** Chooses values of the initial users. In a deploy, only the first user has claims. */
function chooseFirstValues(random: Random, at: number, { ownRate, ownValues, previousRate }: Profile) {
  const release: Release = previousRate > 0 && at > 0 ? 'previous' : 'current';
  return { release, own: chooseOwnChanges(random, release, { rate: ownRate, values: ownValues }) };
}

/** Writes by the previous release, which leave stale claims, and values without claims. */
function createEarlierPart(seed: string, profile: Profile): Part {
  const earlier = { ...profile, weights: { update: 4, replace: 1, delete: 1 }, previousRate: 1 };
  return { gap: 0, clients: [['p1', 'p2', 'p3'].map((id) => createStep(id, seed, earlier))] };
}

/**
 * Chooses start times of index-pages: soon after a client's step, or when its write can be indexed, or its deletion of a
 * group ends. Runs may overlap.
 */
function chooseRuns(clients: Step[][], random: Random, { groups }: Profile): number[] {
  const steps = random.pick(clients);
  const upTo = random.int(1, steps.length);
  const settling = groups > 0 ? GROUPS_SETTLE_MS : SETTLING_MS;
  const step = steps.slice(0, upTo).reduce((sum, { pause }) => sum + pause, 0);
  const run = step + (random.chance(0.5) ? random.int(0, 500) : random.int(settling, settling + 4_000));
  return random.chance(0.3) ? [run, run + random.int(0, 3_000)] : [run];
}

/** After this time, a deletion of a group may end (lib/features/groups/job.ts). */
const GROUPS_SETTLE_MS = 60_000;

function createStep(
  id: string,
  seed: string,
  { weights, pause, parts, isRestored, ownRate, ownValues, previousRate, newIds }: Profile,
  isReordering = false,
): Step {
  const random = createRandom(`${seed} step ${id}`);
  const kind = pickKind(weights, random);
  const key = /create/.test(kind) && random.chance(0.4) ? random.pick(['key-1', 'key-2']) : undefined;
  // Derive the input from the key, so that a repeated key mostly comes with the same input.
  const about = key && random.chance(0.85) ? createRandom(`${seed} ${key}`) : random;
  const fields = { name: `${chooseWords(about)} ${key ?? id} ${about.int(1, 9)}`, email: spell(about) };
  const changed = random.int(0, 9);
  const ownRandom = createRandom(`${about === random ? `${seed} step ${id}` : `${seed} ${key}`} own`);
  const isPrevious = key === undefined && isWrite(kind) && ownRandom.chance(previousRate);
  const isReordered = isReordering && isRest(kind) && createRandom(`${seed} release ${id}`).chance(0.5);
  const release = isPrevious ? 'previous' : isReordered ? 'reordered' : 'current';
  const imported = createRandom(`${seed} import ${id}`);
  const erases = (parts === 1 || isRestored) && createRandom(`${seed} erasure ${id}`).chance(0.5);
  return {
    id,
    // Calls of other releases use REST, because only their REST functions are loaded. Only GraphQL erases: use it for
    // most erasures of users who are deleted by hand.
    api:
      /Post|Group|Member|restore|erge/.test(kind) || (erases && kind === 'delete' && weights.deleteByHand)
        ? 'graphql'
        : random.pick(release === 'current' ? ['enveloped', 'bare', 'graphql'] : ['enveloped', 'bare']),
    kind,
    release,
    // Half of the pauses are short, which makes bursts.
    pause: random.int(0, random.chance(0.5) ? pause : pause / 50),
    // Picks are close to 0 or 1, so that clients write the same users.
    pick: random.chance(0.5) ? random.next() ** 2 : 1 - random.next() ** 2 - Number.EPSILON,
    fields:
      kind !== 'update' && kind !== 'merge'
        ? fields
        : changed < 4
          ? { name: fields.name }
          : changed < 7
            ? { email: fields.email }
            : changed < 9
              ? fields
              : {},
    own: chooseOwnChanges(ownRandom, release, {
      rate: ownRate,
      values: ownValues,
      clears: kind === 'update' || kind === 'merge' ? 0.3 : 0,
    }),
    newId: imported.chance(newIds) ? createId(imported) : undefined,
    kept: chooseKept(imported),
    lookup: chooseLookup(ownRandom, ownValues),
    isConditional: random.chance(0.3),
    key,
    caller: key ? random.pick(['ann', 'bob']) : createRandom(`${seed} caller ${id}`).pick(['ann', 'bob', 'cy', '']),
    erases,
    page: random.int(1, 3),
    limit: random.int(1, 3),
    order: random.pick(['asc', 'desc']),
    sortBy: createRandom(`${seed} sort ${id}`).pick(SORT_NAMES),
    ...chooseFilter(createRandom(`${seed} filter ${id}`)),
    text: chooseText(random),
    ...chooseGroups(createRandom(`${key ? `${seed} ${key}` : `${seed} step ${id}`} groups`), kind),
  };
}

/** One or two values of a motto. In half of the filters, also the plan that all users have. */
export function chooseFilter(random: Random): { mottos: string[]; plan: string | undefined } {
  const mottos = [...new Set([random.pick(MOTTOS), ...(random.chance(0.5) ? [random.pick(MOTTOS)] : [])])];
  return { mottos, plan: random.chance(0.5) ? OWN_DEFAULTS.plan : undefined };
}

function chooseGroups(random: Random, kind: Call['kind']) {
  const id = random.pick(['org_1', 'org_2', '']);
  const externalId = id === '' ? null : id;
  return {
    groupPick: random.next() ** 2,
    role: random.pick(ROLES),
    listsRole: random.chance(0.5),
    joins: random.chance(0.5) ? random.int(0, 2) : undefined,
    externalId: kind === 'updateGroup' && random.chance(0.5) ? undefined : externalId,
    removesMembers: random.chance(0.8),
  };
}

const isRest = (kind: Call['kind']) =>
  /^(create|get|find|update|replace|delete|list|walk|sort|filter|search)$/.test(kind);

const YEAR = 365 * 24 * HOUR;

/** Creates a UUIDv7 of a user from an export: of long ago, of about the same time, or of a clock that was ahead. */
function createId(random: Random): string {
  const time = EPOCH + random.pick([-3 * YEAR, -HOUR, random.int(0, 10_000), 300_000 + random.int(0, 30_000), HOUR]);
  const digits = (count: number) => Array.from({ length: count }, () => random.int(0, 15).toString(16)).join('');
  const milliseconds = time.toString(16).padStart(12, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${digits(3)}-8${digits(3)}-${digits(12)}`;
}

function chooseKept(random: Random): Kept {
  const choose = <Value>(name: string, rate: number, value: Value) => (random.chance(rate) ? { [name]: value } : {});
  const chooseTime = () => {
    const time = random.pick([-10 * YEAR, -30 * HOUR, random.int(0, 10_000), 48 * HOUR]);
    return new Date(EPOCH + time).toISOString();
  };
  return {
    ...choose('createdAt', 0.6, chooseTime()),
    ...choose('updatedAt', 0.5, chooseTime()),
    ...choose('version', 0.4, random.int(1, 6)),
  };
}

const isWrite = (kind: Call['kind']) => /^(create|update|replace|delete)$/.test(kind);

function pickKind(weights: Profile['weights'], random: Random): Call['kind'] {
  // The cast restores the type of the names, which Object.entries loses.
  const entries = Object.entries(weights) as [Call['kind'], number][];
  return random.pick(entries.flatMap(([kind, weight]) => Array<Call['kind']>(weight).fill(kind)));
}

const chooseWords = (random: Random) => Array.from({ length: random.int(1, 3) }, () => random.pick(WORDS)).join(' ');

function chooseText(random: Random): string {
  const words = random.chance(0.2) ? random.pick(MOTTOS) : `${random.pick(WORDS)} ${random.pick(WORDS)}`;
  const whole = random.chance(0.3) ? random.pick(TYPED) : words;
  const text = whole.slice(0, random.int(2, 9));
  return random.chance(0.5) ? text.toUpperCase() : text;
}

function chooseLookup(random: Random, values: number): Step['lookup'] {
  if (random.chance(0.4)) return { field: 'email', value: spell(random) };
  if (random.chance(0.6)) return { field: 'nickname', value: chooseNickname(random, values) };
  return { field: 'badge', value: chooseBadge(random, values) };
}

const spell = (random: Random) => random.pick(EMAILS)[random.chance(0.2) ? 1 : 0];
