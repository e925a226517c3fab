import type { Call, Operation, Outcome, SeenPost, SeenUser } from '../workload/calls.ts';
import { change, changePost } from './model-changes.ts';
import { findOwner, type Run, type Seen, type State } from './state.ts';

/** The state after a call with this outcome; undefined where the call cannot have had it. */
export function apply(
  state: State,
  { call, outcome, created }: Operation & { created?: string | undefined },
): State | undefined {
  const { code, next, seen } = run(state, call, outcome.code === 'OK' ? findId(outcome) : created);
  // Without an answer it may have been done, as far as it could be.
  if (outcome.code === 'UNKNOWN') return next;
  if (outcome.code !== code || (outcome.code === 'OK' && !isSame(outcome, seen))) return undefined;
  return next;
}

const findId = ({ user, post }: { user?: SeenUser; post?: SeenPost }) => user?.id ?? post?.id;

/** What the call does to the state and answers. An `id` is what the service called the new user or post. */
function run(state: State, call: Call, id: string | undefined): Run {
  const answer = (code: Outcome['code']): Run => ({ code, next: state, seen: {} });
  switch (call.kind) {
    case 'create':
    case 'createPost':
      return create(state, call, id);
    case 'get':
    case 'find': {
      const found = call.kind === 'get' ? call.id : findOwner(state, call.email);
      const user = found === undefined ? undefined : state.users[found];
      return found !== undefined && user
        ? { ...answer('OK'), seen: { user: { id: found, ...user } } }
        : answer('NOT_FOUND');
    }
    case 'update':
    case 'delete':
      return change(state, call);
    case 'getPost':
    case 'updatePost':
    case 'publishPost':
    case 'deletePost':
      return changePost(state, call);
    case 'search':
    case 'list':
      // Checked by itself: it is not one moment's truth.
      return answer('OK');
  }
}

function create(state: State, call: Extract<Call, { kind: 'create' | 'createPost' }>, id: string | undefined): Run {
  const { key, ...input } = call;
  const answer = (code: Outcome['code']): Run => ({ code, next: state, seen: {} });
  const slot = `${call.kind} ${key}`;
  const first = key === undefined ? undefined : state.keys[slot];
  if (first && first.input !== JSON.stringify(input)) return answer('IDEMPOTENCY_KEY_REUSED');
  if (first) return { ...answer('OK'), seen: firstAnswer(call, first.id) };
  // Nobody has ever seen the id of what was not created.
  if (id === undefined && call.kind === 'createPost')
    return answer(state.users[call.authorId] ? 'UNKNOWN' : 'NOT_FOUND');
  if (call.kind === 'create' && findOwner(state, call.email) !== undefined) return answer('CONFLICT');
  if (call.kind === 'createPost' && !state.users[call.authorId]) return answer('NOT_FOUND');
  if (id === undefined) return answer('UNKNOWN');
  const keys = key === undefined ? state.keys : { ...state.keys, [slot]: { input: JSON.stringify(input), id } };
  const next =
    call.kind === 'create'
      ? { ...state, keys, users: { ...state.users, [id]: { name: call.name, email: call.email, version: 1 } } }
      : {
          ...state,
          keys,
          posts: { ...state.posts, [id]: { authorId: call.authorId, title: call.title, publishedAt: null } },
        };
  return { code: 'OK', next, seen: firstAnswer(call, id) };
}

const firstAnswer = (call: Extract<Call, { kind: 'create' | 'createPost' }>, id: string): Seen =>
  call.kind === 'create'
    ? { user: { id, name: call.name, email: call.email, version: 1 } }
    : { post: { id, authorId: call.authorId, title: call.title, publishedAt: null } };

/** What was seen, as far as the API shows it. */
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
