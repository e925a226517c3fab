import type { Call, Outcome } from '../workload/calls.ts';
import { findOwner, type Run, type State } from './state.ts';

export function change(state: State, call: Extract<Call, { kind: 'update' | 'delete' }>): Run {
  const { id, ifVersion } = call;
  const user = state.users[id];
  const answer = (code: Outcome['code']): Run => ({ code, next: state, seen: {} });
  if (!user) return answer('NOT_FOUND');
  if (ifVersion !== undefined && ifVersion !== user.version) return answer('PRECONDITION_FAILED');
  if (call.kind === 'delete') {
    const { [id]: _, ...users } = state.users;
    const posts = Object.fromEntries(Object.entries(state.posts).filter(([, { authorId }]) => authorId !== id));
    return { code: 'OK', next: { ...state, users, posts }, seen: {} };
  }
  const { name = user.name, email = user.email } = call;
  if (call.name === undefined && call.email === undefined) return { ...answer('OK'), seen: { user: { id, ...user } } };
  const owner = findOwner(state, email);
  if (owner !== undefined && owner !== id) return answer('CONFLICT');
  const changed = { name, email, version: user.version + 1 };
  return {
    code: 'OK',
    next: { ...state, users: { ...state.users, [id]: changed } },
    seen: { user: { id, ...changed } },
  };
}

export function changePost(state: State, call: Extract<Call, { kind: `${string}Post`; id: string }>): Run {
  const { id } = call;
  const post = state.posts[id];
  if (!post) return { code: 'NOT_FOUND', next: state, seen: {} };
  if (call.kind === 'deletePost') {
    const { [id]: _, ...posts } = state.posts;
    return { code: 'OK', next: { ...state, posts }, seen: {} };
  }
  const changed =
    call.kind === 'updatePost'
      ? { ...post, title: call.title }
      : call.kind === 'publishPost' && post.publishedAt === null
        ? { ...post, publishedAt: call.publishedAt }
        : post;
  return {
    code: 'OK',
    next: { ...state, posts: { ...state.posts, [id]: changed } },
    seen: { post: { id, ...changed } },
  };
}
