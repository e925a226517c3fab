import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPerson } from '../setup/test-data.ts';
import { bare, graphql, mutate, restClients, sendGraphql } from './client.ts';

type User = { id: string; name: string; email: string; version: number };
type Post = { id: string; title: string; publishedAt: string | null; author: { id: string } };

const newUser = async () => {
  const { payload } = await mutate<{ user: User }>('createUser', keyed(newPerson()));
  if (!payload) throw new Error('No user was created');
  return payload.user;
};
const read = async (id: string) =>
  (await graphql<{ user: User | null }>('query ($id: ID!) { user(id: $id) { id name email version } }', { id })).data
    ?.user;
const mutationErrorCodes = async (mutation: string, input: Record<string, unknown>) =>
  (await mutate(mutation, input)).codes;
const keyed = (input: Record<string, unknown>) => ({ ...input, idempotencyKey: randomUUID() });

describe('users in GraphQL', () => {
  test('can be created, read, updated, replaced and deleted', async () => {
    const input = newPerson();
    const { payload } = await mutate<{ user: User }>('createUser', keyed(input));
    const id = payload?.user.id ?? '';
    expect(payload?.user).toEqual({ id, ...input, version: 1 });
    expect(await read(id)).toEqual(payload?.user);
    await mutate('updateUser', { id, name: 'Updated' });
    expect(await read(id)).toEqual({ id, ...input, name: 'Updated', version: 2 });
    const other = newPerson();
    await mutate('replaceUser', { id, ...other });
    expect(await read(id)).toEqual({ id, ...other, version: 3 });
    const byEmail = 'query ($email: String!) { userByEmail(email: $email) { id } }';
    expect((await graphql(byEmail, { email: other.email.toUpperCase() })).data).toEqual({ userByEmail: { id } });
    expect((await mutate('deleteUser', { id })).payload).toEqual({ id });
    expect(await read(id)).toBeNull();
  });

  test('stay unchanged when a mutation is rejected with a code', async () => {
    const [user, { email }] = [await newUser(), await newUser()];
    const { id } = user;
    expect(await mutationErrorCodes('createUser', { name: '', email: 'nobody' })).toEqual(['BAD_USER_INPUT']);
    expect(await mutationErrorCodes('createUser', keyed({ name: 'No', email }))).toEqual(['CONFLICT']);
    expect(await mutationErrorCodes('updateUser', { id, email })).toEqual(['CONFLICT']);
    expect(await mutationErrorCodes('updateUser', { id, name: 'No', ifVersion: 7 })).toEqual(['PRECONDITION_FAILED']);
    expect(await mutationErrorCodes('deleteUser', { id: 'nobody' })).toEqual(['NOT_FOUND']);
    expect(await read(id)).toEqual(user);
  });

  test('are created once per idempotencyKey', async () => {
    const input = keyed(newPerson());
    const { payload } = await mutate('createUser', input);
    expect((await mutate('createUser', input)).payload).toEqual(payload);
    expect(await mutationErrorCodes('createUser', { ...input, name: 'Another' })).toEqual(['BAD_USER_INPUT']);
  });

  test('are the same in every API', async () => {
    const { version: _, ...user } = await newUser();
    for (const client of restClients) expect(await client.read(user.id)).toEqual(user);
    await bare.update(user.id, { name: 'By REST' });
    expect(await read(user.id)).toEqual({ ...user, name: 'By REST', version: 2 });
    const { etag = '' } = (await bare.get(user.id)).headers;
    await mutate('updateUser', { id: user.id, name: 'By GraphQL' });
    for (const client of restClients) {
      expect((await client.read(user.id)).name).toBe('By GraphQL');
      expect((await client.update(user.id, { name: 'Stale' }, { 'if-match': etag })).status).toBe(412);
    }
    await bare.remove(user.id);
    expect(await read(user.id)).toBeNull();
  });
});

describe('posts in GraphQL', () => {
  test('can be created, published, updated, listed and deleted', async () => {
    const { id: authorId } = await newUser();
    const create = async (title: string) =>
      (await mutate<{ post: Post }>('createPost', { authorId, title })).payload?.post;
    const [first, second] = [await create('First'), await create('Second')];
    expect(first).toEqual({ id: first?.id, title: 'First', publishedAt: null, author: { id: authorId } });
    const publishedAt = '2024-02-28T23:30:00.000Z';
    await mutate('publishPost', { id: first?.id, publishedAt: '2024-02-29T01:30:00+02:00' });
    const { payload } = await mutate<{ post: Post }>('updatePost', { id: first?.id, title: 'Changed' });
    expect(payload?.post).toEqual({ ...first, title: 'Changed', publishedAt });

    const posts = async (args = '') =>
      (
        await graphql<{ user: { posts: Post[] } }>(
          `query ($id: ID!) { user(id: $id) { posts${args} { id title publishedAt author { id } } } }`,
          { id: authorId },
        )
      ).data?.user.posts;
    expect(await posts()).toEqual([payload?.post, second]);
    expect(await posts(`(first: 1, after: "${first?.id}")`)).toEqual([second]);
    expect((await mutate('deletePost', { id: first?.id })).payload).toEqual({ id: first?.id });
    expect(await posts()).toEqual([second]);
    expect(await mutationErrorCodes('publishPost', { id: first?.id })).toEqual(['NOT_FOUND']);
    expect(await mutationErrorCodes('createPost', { authorId: 'nobody', title: 'Orphan' })).toEqual(['NOT_FOUND']);
  });

  test('disappear with their author', async () => {
    const { id: authorId } = await newUser();
    const { payload } = await mutate<{ post: Post }>('createPost', { authorId, title: 'Left' });
    await mutate('deleteUser', { id: authorId });
    expect((await graphql('query ($id: ID!) { post(id: $id) { id } }', { id: payload?.post.id })).data).toEqual({
      post: null,
    });
  });
});

describe('GraphQL over HTTP', () => {
  test.each([
    ['GRAPHQL_PARSE_FAILED', '{ user(id: '],
    ['GRAPHQL_VALIDATION_FAILED', '{ user(id: "x") { shoeSize } }'],
    ['BAD_USER_INPUT', 'query ($id: ID!) { user(id: $id) { id } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ users(first: 100) { edges { node { posts(first: 100) { id } } } } }'],
    ['BAD_USER_INPUT', '{ users(first: 101) { totalCount } }'],
  ])('returns %s for %s', async (code, document) => {
    const { status, errors } = await graphql(document);
    expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([200, [code]]);
  });

  test('returns 400 for malformed JSON, and for invalid documents as application/graphql-response+json', async () => {
    expect((await sendGraphql('POST', { body: '{"query":' })).status).toBe(400);
    const headers = { accept: 'application/graphql-response+json' };
    expect((await graphql('{ nothing }', {}, headers)).status).toBe(400);
    expect((await graphql('{ __typename }', {}, headers)).status).toBe(200);
  });

  test('does not run a mutation sent as text/plain, which other sites can send without a preflight', async () => {
    const { name, email } = newPerson();
    const query = `mutation { createUser(input: { name: "${name}", email: "${email}" }) { user { id } } }`;
    const body = JSON.stringify({ query });
    expect((await sendGraphql('POST', { body, headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect(bare.parseUsers(await bare.list({ email }))).toEqual([]);
  });
});
