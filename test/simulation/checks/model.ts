import { isDeepStrictEqual } from 'node:util';
import {
  type Call,
  canonicalEmail,
  type Operation,
  type Outcome,
  type SeenPost,
  type SeenUser,
} from '../workload/calls.ts';

type User = { name: string; email: string; version: number; createdAt: string; updatedAt: string };
type Post = Omit<SeenPost, 'id'> & { version: number };
/** The first request with an idempotency key asked for `input` and created `id`; it was sent at a time in ms. */
type Key = { input: string; id: string; createdAt: string; sent: number };

/** The service should hold this, if every call were done at one moment. */
export type State = { users: Record<string, User>; posts: Record<string, Post>; keys: Record<string, Key> };

export const EMPTY: State = { users: {}, posts: {}, keys: {} };

/** An operation wrote these ids and times, which the service chooses. */
export type Written = { id: string; createdAt: string; updatedAt: string; publishedAt: string | null };

/** The last operation of a history shows all users, posts and idempotency keys of the table. */
export type TableRead = { table: State; time: number };

/** An answer shows this of a user or post. */
type Seen = { user?: SeenUser; post?: SeenPost };
/** A call does this to the state, and has this answer. */
type Run = { code: Outcome['code']; next: State; seen: Seen };
type Context = { written: Written | undefined; sent: number };

const DAY_MS = 24 * 3_600_000;

/** Returns the state after a call with this outcome, or undefined if the call cannot have had it. */
export function apply(state: State, operation: (Operation & { written?: Written | undefined }) | TableRead) {
  if ('table' in operation) return describeDifferences(state, operation).length === 0 ? state : undefined;
  const { call, outcome, written, times } = operation;
  const { code, next, seen } = run(state, call, { written, sent: times.sent });
  // A call that got no answer may have been done, as far as it could be.
  if (outcome.code === 'UNKNOWN') return next;
  if (outcome.code !== code || (outcome.code === 'OK' && !isSame(outcome, seen))) return undefined;
  return next;
}

/** Tells how the items of the table differ from a state. */
export function describeDifferences({ users, posts, keys }: State, { table, time }: TableRead): string[] {
  const live = Object.values(keys).filter(({ sent }) => time - sent < DAY_MS);
  const compare = (what: string, expected: Record<string, unknown>, found: Record<string, unknown>) =>
    [...new Set([...Object.keys(expected), ...Object.keys(found)])]
      .filter((id) => !isDeepStrictEqual(expected[id], found[id]))
      .map((id) => `${what} ${id} is ${JSON.stringify(found[id])}, not ${JSON.stringify(expected[id])}`);
  const byId = (list: Key[]) => Object.fromEntries(list.map(({ id, createdAt }) => [id, createdAt]));
  return [
    ...compare('user', users, table.users),
    ...compare('post', posts, table.posts),
    ...compare('the idempotency record of', byId(live), byId(Object.values(table.keys))),
  ];
}

function run(state: State, call: Call, context: Context): Run {
  switch (call.kind) {
    case 'create':
    case 'createPost':
      return create(state, call, context);
    case 'get':
    case 'find': {
      const id = call.kind === 'get' ? call.id : findOwner(state, call.email);
      const user = id === undefined ? undefined : state.users[id];
      return id !== undefined && user ? succeed(state, { user: { id, ...user } }) : fail('NOT_FOUND', state);
    }
    case 'update':
    case 'delete':
      return change(state, call, context);
    case 'getPost':
    case 'updatePost':
    case 'publishPost':
    case 'deletePost':
      return changePost(state, call, context);
    default:
      // Lists are checked by themselves.
      return succeed(state);
  }
}

/** Finds the user who has an address, in any spelling. */
const findOwner = ({ users }: State, email: string) =>
  Object.keys(users).find((id) => canonicalEmail(users[id]?.email ?? '') === canonicalEmail(email));

type Create = Extract<Call, { kind: 'create' | 'createPost' }>;

function create(state: State, call: Create, { written, sent }: Context): Run {
  const { key, caller, ...input } = call;
  const slot = key === undefined ? undefined : `${call.kind} ${caller} ${key}`;
  const first = slot === undefined ? undefined : state.keys[slot];
  if (first && sent - first.sent < DAY_MS) {
    if (first.input !== JSON.stringify(input)) return fail('IDEMPOTENCY_KEY_REUSED', state);
    return succeed(state, describeCreated(call, first));
  }
  if (call.kind === 'create' && findOwner(state, call.email) !== undefined) return fail('CONFLICT', state);
  if (call.kind === 'createPost' && !state.users[call.authorId]) return fail('NOT_FOUND', state);
  // Nobody has ever seen the id of what was not created.
  if (!written) return fail('UNKNOWN', state);
  const { id, createdAt } = written;
  const keys = slot ? { ...state.keys, [slot]: { input: JSON.stringify(input), id, createdAt, sent } } : state.keys;
  const { user, post } = describeCreated(call, written);
  const without = <Entity extends { id: string }>({ id: _, ...rest }: Entity) => rest;
  return succeed(
    {
      keys,
      // What was just created has all of its members.
      users: user ? { ...state.users, [id]: without(user) as User } : state.users,
      posts: post ? { ...state.posts, [id]: { ...without(post), version: 1 } } : state.posts,
    },
    { ...(user ? { user } : {}), ...(post ? { post } : {}) },
  );
}

const describeCreated = (call: Create, { id, createdAt }: Pick<Written, 'id' | 'createdAt'>): Seen =>
  call.kind === 'create'
    ? { user: { id, name: call.name, email: call.email, createdAt, updatedAt: createdAt, version: 1 } }
    : { post: { id, authorId: call.authorId, title: call.title, publishedAt: null } };

function change(state: State, call: Extract<Call, { kind: 'update' | 'delete' }>, { written }: Context): Run {
  const { id, ifVersion } = call;
  const user = state.users[id];
  if (!user) return fail('NOT_FOUND', state);
  if (ifVersion !== undefined && ifVersion !== user.version) return fail('PRECONDITION_FAILED', state);
  if (call.kind === 'delete') {
    const { [id]: _, ...users } = state.users;
    const posts = Object.fromEntries(Object.entries(state.posts).filter(([, { authorId }]) => authorId !== id));
    return succeed({ ...state, users, posts });
  }
  const { name = user.name, email = user.email } = call;
  if (call.name === undefined && call.email === undefined) return succeed(state, { user: { id, ...user } });
  const owner = findOwner(state, email);
  if (owner !== undefined && owner !== id) return fail('CONFLICT', state);
  const updatedAt = written?.updatedAt ?? 'never written';
  const changed = { ...user, name, email, updatedAt, version: user.version + 1 };
  return succeed({ ...state, users: { ...state.users, [id]: changed } }, { user: { id, ...changed } });
}

function changePost(
  state: State,
  call: Extract<Call, { kind: 'getPost' | 'updatePost' | 'publishPost' | 'deletePost' }>,
  { written }: Context,
): Run {
  const { id } = call;
  const post = state.posts[id];
  if (!post) return fail('NOT_FOUND', state);
  if (call.kind === 'deletePost') {
    const { [id]: _, ...posts } = state.posts;
    return succeed({ ...state, posts });
  }
  const changes =
    call.kind === 'updatePost'
      ? { title: call.title }
      : call.kind === 'publishPost' && post.publishedAt === null
        ? { publishedAt: call.publishedAt ?? written?.publishedAt ?? 'never written' }
        : undefined;
  const changed = changes ? { ...post, ...changes, version: post.version + 1 } : post;
  const { version, ...shown } = changed;
  return succeed({ ...state, posts: { ...state.posts, [id]: changed } }, { post: { id, ...shown } });
}

const succeed = (next: State, seen: Seen = {}): Run => ({ code: 'OK', next, seen });
const fail = (code: Outcome['code'], state: State): Run => ({ code, next: state, seen: {} });

/** Compares what was seen with what should be, as far as the API shows it. */
function isSame({ user, post }: Seen, expected: Seen): boolean {
  const differs = (shown: object | undefined, other: object | undefined) =>
    Object.entries(shown ?? {}).some(
      ([name, value]) => (other as Record<string, unknown> | undefined)?.[name] !== value,
    );
  return (
    !differs(user, expected.user) &&
    !differs(post, expected.post) &&
    !user === !expected.user &&
    !post === !expected.post
  );
}
