import type { Call, Outcome } from '../workload/calls.ts';
import { findOwner, type Run, type State } from './state.ts';

export function change(state: State, call: Extract<Call, { kind: 'update' | 'delete' }>): Run {
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
  const changed = { name, email, version: user.version + 1 };
  return succeed({ ...state, users: { ...state.users, [id]: changed } }, { user: { id, ...changed } });
}

export function changePost(state: State, call: Extract<Call, { kind: `${string}Post`; id: string }>): Run {
  const { id } = call;
  const post = state.posts[id];
  if (!post) return fail('NOT_FOUND', state);
  if (call.kind === 'deletePost') {
    const { [id]: _, ...posts } = state.posts;
    return succeed({ ...state, posts });
  }
  const changed =
    call.kind === 'updatePost'
      ? { ...post, title: call.title }
      : call.kind === 'publishPost' && post.publishedAt === null
        ? { ...post, publishedAt: call.publishedAt }
        : post;
  return succeed({ ...state, posts: { ...state.posts, [id]: changed } }, { post: { id, ...changed } });
}

const succeed = (next: State, seen: Run['seen'] = {}): Run => ({ code: 'OK', next, seen });
const fail = (code: Outcome['code'], state: State): Run => ({ code, next: state, seen: {} });
