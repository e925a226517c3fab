import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import type { User } from '../../../../../infra/web/console/api/users.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';
import { type MergePlan, mergePlans } from '../../../../../infra/web/console/user/drafts.ts';
import { type MergeProgress, mergeUsers } from '../../../../../infra/web/console/user/merge.ts';

const time = '2026-11-22T10:00:00.000Z';
const newUser = (id: string, name: string, members: object = {}): User => ({
  ...{ id, name, email: `${id}@example.org`, version: 3, createdAt: time, updatedAt: time, nickname: null, plan: null },
  ...members,
});

const notFound = (message: string) => Response.json({ errors: [{ message, extensions: { code: 'NOT_FOUND' } }] });

type GraphqlRequest = {
  query: string;
  variables: { authorId?: string; input?: { id: string; authorId: string } };
};

const POSTS_PER_PAGE = 5;

/** Answers the requests of a merge from memory. */
class Service {
  readonly users = new Map<string, User>();
  readonly posts = new Map<string, string>();
  readonly writes: string[] = [];
  movesAtOnce = 0;
  mostMovesAtOnce = 0;
  /** Runs before each request. */
  before: (name: string) => void = () => {};

  constructor(users: User[], posts: Record<string, string> = {}) {
    for (const user of users) this.users.set(user.id, user);
    for (const [id, authorId] of Object.entries(posts)) this.posts.set(id, authorId);
    vi.stubGlobal('fetch', (path: string, init?: RequestInit) => this.#answer(path, init));
  }

  async #answer(path: string, { method = 'GET', body, headers }: RequestInit = {}): Promise<Response> {
    if (path === '/graphql') return this.#answerGraphql(JSON.parse(String(body)));
    const id = /\/(\w+)(\?|$)/.exec(path)?.[1] ?? '';
    const version = Number(/\d+/.exec(new Headers(headers).get('if-match') ?? '')?.[0]);
    this.before(`${method} ${id}`);
    const user = this.users.get(id);
    if (!user) return Response.json({ code: 'NOT_FOUND', detail: 'User not found' }, { status: 404 });
    if (method === 'GET') return Response.json(user);
    if (version !== user.version) throw new Error(`${method} of version ${version} instead of ${user.version}`);
    if (method === 'DELETE') {
      this.users.delete(id);
      this.writes.push(`delete ${id}`);
      return new Response(null, { status: 204 });
    }
    const changes = JSON.parse(String(body));
    const changed = { ...user, ...changes, version: user.version + 1 };
    this.users.set(id, changed);
    this.writes.push(`update ${id} ${Object.keys(changes)}`);
    return Response.json(changed, { headers: { etag: `"${changed.version}"` } });
  }

  async #answerGraphql({ query, variables: { authorId, input } }: GraphqlRequest): Promise<Response> {
    const name = /(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? '';
    this.before(name);
    if (input) return this.#movePost(input);
    const ids = [...this.posts].flatMap(([post, author]) => (author === authorId ? [post] : []));
    const nodes = ids.slice(0, POSTS_PER_PAGE).map((post) => ({ id: post, title: post, publishedAt: null }));
    const pageInfo = { hasNextPage: ids.length > nodes.length, endCursor: nodes.at(-1)?.id ?? null };
    return Response.json({ data: { user: { postsConnection: { nodes, pageInfo } } } });
  }

  async #movePost({ id, authorId }: { id: string; authorId: string }): Promise<Response> {
    this.movesAtOnce += 1;
    this.mostMovesAtOnce = Math.max(this.mostMovesAtOnce, this.movesAtOnce);
    await new Promise((resolve) => setTimeout(resolve));
    this.movesAtOnce -= 1;
    if (!this.posts.has(id)) return notFound('Post not found');
    if (!this.users.has(authorId)) return notFound('User not found');
    this.posts.set(id, authorId);
    return Response.json({ data: { updatePost: { post: { id, title: id, publishedAt: null } } } });
  }
}

const plan = (values: MergePlan['values'] = {}): MergePlan => ({
  kept: 'kept',
  removed: 'other',
  versions: { kept: 3, removed: 3 },
  values,
});

const merge = async (plan: MergePlan, signal = new AbortController().signal) => {
  mergePlans.set(() => plan);
  const progress: MergeProgress[] = [];
  await mergeUsers(plan, (step) => progress.push(step), signal);
  return progress;
};

const listPosts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'other']));

beforeEach(() => {
  ownFields.set(() => [
    { name: 'nickname', type: 'string', unique: true },
    { name: 'plan', type: 'string' },
  ]);
});

test('values are saved first, and unique ones after the other user is deleted', async () => {
  const service = new Service([newUser('kept', 'Ada Lovelace'), newUser('other', 'Ada King', { nickname: 'ada' })]);
  const steps = await merge(plan({ name: 'Ada', plan: 'pro', email: 'other@example.org', nickname: 'ada' }));
  expect(service.writes).toEqual(['update kept name,plan', 'delete other', 'update kept email,nickname']);
  expect(service.users.get('kept')).toMatchObject({
    ...{ name: 'Ada', plan: 'pro', email: 'other@example.org', nickname: 'ada', version: 5 },
  });
  expect(steps.map(({ step }) => step)).toEqual(['values', 'posts', 'deletion', 'unique']);
  expect(mergePlans.get()).toBeUndefined();
});

test('a merge that ends after the person has started another one keeps the other plan', async () => {
  const service = new Service([newUser('kept', 'Ada Lovelace'), newUser('other', 'Ada King')]);
  const next = { ...plan(), kept: 'third' };
  service.before = (name) => {
    if (name === 'DELETE other') mergePlans.set(() => next);
  };
  await merge(plan());
  expect(mergePlans.get()).toBe(next);
});

test('values that the kept user has already are not written', async () => {
  const service = new Service([newUser('kept', 'Ada', { plan: 'pro' }), newUser('other', 'Ada King')]);
  await merge(plan({ name: 'Ada', plan: 'pro', email: 'kept@example.org' }));
  expect(service.writes).toEqual(['delete other']);
});

test('all posts move, a few at once, and the progress counts them', async () => {
  const posts = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'];
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King')], listPosts(...posts));
  const steps = await merge(plan());
  expect([...service.posts]).toEqual(posts.map((id) => [id, 'kept']));
  expect(service.mostMovesAtOnce).toBe(4);
  expect(steps.filter(({ step }) => step === 'posts').map(({ moved }) => moved)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(steps.at(-1)).toEqual({ step: 'unique', moved: 7 });
});

test('a post that was deleted meanwhile is skipped', async () => {
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King')], listPosts('p1', 'p2'));
  service.before = (name) => {
    if (name === 'UpdatePost') service.posts.delete('p1');
  };
  await merge(plan());
  expect([...service.posts]).toEqual([['p2', 'kept']]);
});

test('a merge stops before the deletion if the user to keep is deleted', async () => {
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King')], listPosts('p1'));
  service.before = (name) => {
    if (name === 'UpdatePost') service.users.delete('kept');
  };
  await expect(merge(plan())).rejects.toThrow('The user to keep was deleted elsewhere');
  expect(service.writes).toEqual([]);
});

test.each([
  ['kept', 'Ada has changed elsewhere since you compared. Compare again.'],
  ['other', 'Ada King has changed elsewhere since you compared. Compare again.'],
])('nothing is written if the user "%s" has changed since the comparison', async (id, message) => {
  const users = [newUser('kept', 'Ada'), newUser('other', 'Ada King')];
  const service = new Service(users.map((user) => (user.id === id ? { ...user, version: 4 } : user)));
  await expect(merge(plan({ plan: 'pro' }))).rejects.toThrow(message);
  expect(service.writes).toEqual([]);
  expect(mergePlans.get()).toBeDefined();
});

test('a merge that stopped after the deletion ends with the unique values', async () => {
  const service = new Service([newUser('kept', 'Ada', { plan: 'pro', version: 4 })]);
  await merge(plan({ plan: 'pro', nickname: 'ada' }));
  expect(service.writes).toEqual(['update kept nickname']);
});

test('a user who is deleted by another client is no failure', async () => {
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King')]);
  service.before = (name) => {
    if (name === 'DELETE other') service.users.delete('other');
  };
  await merge(plan({ nickname: 'ada' }));
  expect(service.writes).toEqual(['update kept nickname']);
});

test('the other user is not deleted if the kept user got another subject since the comparison', async () => {
  ownFields.set(() => [{ name: 'sub', type: 'string', subject: true }]);
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King', { sub: 'b' })], listPosts('p1'));
  service.before = (name) => {
    if (name === 'UpdatePost') service.users.set('kept', newUser('kept', 'Ada', { sub: 'a', version: 4 }));
  };
  await expect(merge(plan({ sub: 'b' }))).rejects.toThrow(
    'Ada has changed elsewhere since you compared. Compare again.',
  );
  expect(service.writes).toEqual([]);
});

test('a user without a subject gets the subject of the other user', async () => {
  ownFields.set(() => [{ name: 'sub', type: 'string', subject: true }]);
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King', { sub: 'b' })]);
  await merge(plan({ sub: 'b' }));
  expect(service.writes).toEqual(['delete other', 'update kept sub']);
});

test('a user gets the logins of both, unless all of its own were replaced since the comparison', async () => {
  ownFields.set(() => [{ name: 'sub', type: 'string', subject: true, list: true }]);
  const other = newUser('other', 'Ada King', { sub: ['b'] });
  const service = new Service([newUser('kept', 'Ada', { sub: ['a'] }), other]);
  await merge(plan({ sub: ['a', 'b'] }));
  expect(service.writes).toEqual(['delete other', 'update kept sub']);
  const changed = new Service([newUser('kept', 'Ada', { sub: ['c'] }), other]);
  await expect(merge(plan({ sub: ['a', 'b'] }))).rejects.toThrow('Compare again.');
  expect(changed.writes).toEqual([]);
});

test('a login that the person has added since the comparison stays', async () => {
  ownFields.set(() => [{ name: 'sub', type: 'string', subject: true, list: true }]);
  const kept = newUser('kept', 'Ada', { sub: ['a', 'new'], version: 4 });
  const service = new Service([kept, newUser('other', 'Ada King', { sub: ['b'] })]);
  await merge(plan({ sub: ['a', 'b'] }));
  expect(service.users.get('kept')).toMatchObject({ sub: ['a', 'new', 'b'] });
});

test('a cancelled merge writes nothing more', async () => {
  const service = new Service([newUser('kept', 'Ada'), newUser('other', 'Ada King')], listPosts('p1', 'p2'));
  const stop = new AbortController();
  service.before = (name) => {
    if (name === 'ListPosts') stop.abort(new Error('Cancelled'));
  };
  await expect(merge(plan({ plan: 'pro' }), stop.signal)).rejects.toThrow('Cancelled');
  expect(service.writes).toEqual(['update kept plan']);
  expect([...service.posts.values()]).toEqual(['other', 'other']);
});
