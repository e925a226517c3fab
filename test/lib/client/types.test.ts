import { expectTypeOf, test } from 'vitest';
import {
  createClient,
  type User as ServiceUser,
  type TypedDocument,
  type UserChange,
} from '../../../lib/client/client.ts';

// `npm run check:types` tests this file, with exactOptionalPropertyTypes.

type Fields = { nickname?: string; plan: 'free' | 'pro' };
const client = createClient<Fields>({ baseUrl: '', fields: ['nickname', 'plan'] });
const input: Partial<{ text: string; size: number; order: 'asc' | 'desc'; signal: AbortSignal; plan: 'pro' }> = {};

/** As in the output of GraphQL Code Generator's client-preset with `documentMode: 'string'`. */
class TypedDocumentString<TResult, TVariables> extends String {
  declare __apiType?: (variables: TVariables) => TResult;
  private value: string;

  constructor(value: string) {
    super(value);
    this.value = value;
  }

  override toString(): string & { __apiType?: (variables: TVariables) => TResult } {
    return this.value;
  }
}

/** As in the output of client-preset by default. */
type DocumentNode<TResult, TVariables> = {
  kind: 'Document';
  definitions: readonly object[];
  __apiType?: (variables: TVariables) => TResult;
};

type GetUser = { user: { name: string } | null };
const getUser: TypedDocument<GetUser, { id: string }> = '';
const listUsers: TypedDocument<{ users: string[] }, { first?: number }> = '';
const listFields: TypedDocument<{ fields: string[] }, Record<string, never>> = '';

test('every optional input may be undefined', () => {
  const { text, size, order, signal, plan } = input;
  void (() => [
    createClient({
      ...{ baseUrl: '', graphqlUrl: text, auth: text, fields: undefined, fetch: undefined, timeoutMs: size },
      retries: { maxAttempts: size, maxPauseMs: size },
    }),
    client.users.list({ search: text, filter: plan && { plan }, sort: undefined, order, pageSize: size, signal }),
    client.users.listPage({ search: text, filter: undefined, after: text, limit: size, signal }),
    client.users.page({ page: size, limit: size, order, signal }),
    client.users.search('', { pageSize: size, signal }),
    client.users.searchPage('', { after: text, limit: size, signal }),
    client.users.count(undefined, { signal }),
    client.users.create({ name: '', email: '', nickname: text, plan: 'pro' }, { idempotencyKey: text, signal }),
    client.users.replace('', { name: '', email: '', nickname: text, plan: 'pro' }, { signal }),
    client.users.upsert(
      { nickname: '' },
      { name: '', email: text, nickname: text, plan: 'pro' },
      { only: undefined, signal },
    ),
    client.users.update('', { name: text, email: text, nickname: text, plan }, { signal }),
    client.users.historyPage('', { after: text, limit: size, signal }),
    client.users.updateMany([{ user: '', changes: { name: text, nickname: text } }], { signal }),
    client.users.upsertMany('nickname', [{ name: '', email: '', nickname: text, plan: 'pro' }], {
      keepOmitted: undefined,
      signal,
    }),
    client.users.history('', { pageSize: size, signal }),
    client.users.deleted({ pageSize: size, signal }),
    client.users.deletedPage({ after: text, limit: size, signal }),
    client.users.changesSince(text, { pageSize: size, onCursor: undefined, signal }),
    client.me.create({ name: '', email: text, nickname: text, plan }, { signal }),
    client.me.update({ name: text, nickname: text }, { current: undefined, signal }),
    client.me.changes({ after: text, signal, onConnect: undefined }),
    client.posts.list('', { pageSize: size, signal }),
    client.posts.page('', { after: text, limit: size, signal }),
    client.posts.create({ authorId: '', title: '', publishedAt: text }, { idempotencyKey: text, signal }),
    client.posts.update('', { title: text, authorId: text }, { signal }),
    client.posts.publish('', { publishedAt: text, signal }),
    client.erasures.request('', { ifVersion: size, signal }),
    client.changes({ user: text, after: text, signal, onWait: undefined }),
    client.postChanges({ author: '', after: text, signal }),
    client.graphql('', undefined, { idempotent: undefined, signal }),
  ]);
});

test('conditions and required fields need a value', () => {
  const { text } = input;
  // @ts-expect-error A condition without a value would list all users.
  void (() => client.users.list({ filter: { nickname: text } }));
  // @ts-expect-error A condition without a value would find any user.
  void (() => client.users.find({ nickname: text }));
  // @ts-expect-error `plan` is required.
  void (() => client.users.create({ name: '', email: '', plan: undefined }));
});

test('all functions return users with a version', () => {
  const { get, create, update, replace, upsert, restore, getMany, updateMany, changesSince, history, deleted, list } =
    client.users;
  type User = ServiceUser<Fields>;
  expectTypeOf<User['version']>().toEqualTypeOf<number>();
  expectTypeOf(get).returns.resolves.toEqualTypeOf<User | undefined>();
  expectTypeOf(create).returns.resolves.toEqualTypeOf<User>();
  expectTypeOf(update).returns.resolves.toEqualTypeOf<User>();
  expectTypeOf(replace).returns.resolves.toEqualTypeOf<User>();
  expectTypeOf(upsert).returns.resolves.toEqualTypeOf<User>();
  expectTypeOf(restore).returns.resolves.toEqualTypeOf<User>();
  expectTypeOf(getMany).returns.resolves.toEqualTypeOf<(User | undefined)[]>();
  type Item<List extends (...args: never[]) => AsyncIterable<unknown>> =
    ReturnType<List> extends AsyncIterable<infer Each> ? Each : never;
  expectTypeOf<Awaited<ReturnType<typeof updateMany>>[number]['user']>().toEqualTypeOf<User | undefined>();
  expectTypeOf<Item<typeof changesSince>>().toEqualTypeOf<UserChange<User>>();
  expectTypeOf<Item<typeof client.changes>>().toEqualTypeOf<UserChange<User>>();
  expectTypeOf<Item<typeof history>['after']>().toEqualTypeOf<User | null>();
  expectTypeOf<Item<typeof deleted>['user']>().toEqualTypeOf<User>();
  expectTypeOf<Item<typeof list>>().toEqualTypeOf<User>();
});

test('graphql requires the variables of its document', () => {
  const { size } = input;
  expectTypeOf(() => client.graphql(getUser, { id: '' })).returns.resolves.toEqualTypeOf<GetUser>();
  void (() => [
    client.graphql(listUsers),
    client.graphql(listUsers, { first: 1 }),
    client.graphql(listUsers, size === undefined ? undefined : { first: size }),
    client.graphql(listFields),
    client.graphql<GetUser>('query ($id: ID!) { user(id: $id) { name } }', { id: '' }),
    client.graphql('{ __typename }', undefined, {}),
    <Data, Variables>(query: TypedDocument<Data, Variables>, variables: Variables) => client.graphql(query, variables),
  ]);
  // @ts-expect-error `id` is required.
  void (() => client.graphql(getUser));
  // @ts-expect-error `id` is required.
  void (() => client.graphql(getUser, {}));
  // @ts-expect-error `id` is required.
  void (() => client.graphql(getUser, undefined, { idempotent: true }));
  // @ts-expect-error The document has no variable `name`.
  void (() => client.graphql(getUser, { id: '', name: '' }));
  // @ts-expect-error `first` is a number.
  void (() => client.graphql(listUsers, { first: '' }));
});

test('graphql and subscribe accept a TypedDocumentString, but no document that is not a text', () => {
  const query = new TypedDocumentString<GetUser, { id: string }>('');
  expectTypeOf(() => client.graphql(query, { id: '' })).returns.resolves.toEqualTypeOf<GetUser>();
  expectTypeOf(() => client.graphql(query.toString(), { id: '' })).returns.resolves.toEqualTypeOf<GetUser>();
  void (() => client.subscribe({ query }, { resumes: true }));
  // @ts-expect-error `id` is required.
  void (() => client.graphql(query));
  const node: DocumentNode<GetUser, { id: string }> = { kind: 'Document', definitions: [] };
  // @ts-expect-error The client cannot print a document.
  void (() => client.graphql(node, { id: '' }));
});
