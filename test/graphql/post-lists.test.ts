import { describe, expect, test } from 'vitest';
import { clients } from '../rest/client.ts';
import { codeOf, execute, mutate, newPost, newUser, type Post, postsOf, readPost } from './client.ts';

describe('posts of a user', () => {
  test('are none at first, and then all of them, oldest first', async () => {
    const { id } = await newUser();
    expect(await postsOf(id)).toEqual([]);
    const posts: Post[] = [];
    for (let count = 0; count < 30; count++) posts.push(await newPost(id, `Post ${count}`));
    expect(await postsOf(id)).toEqual(posts);
  });

  test.each([1, 2, 5, 6])('are paged by %i with first and after, each exactly once', async (first) => {
    const { id } = await newUser();
    const posts = [];
    for (let count = 0; count < 5; count++) posts.push(await newPost(id, `Post ${count}`));
    const pages: Post[][] = [await postsOf(id, `(first: ${first})`)];
    while (pages.at(-1)?.length === first)
      pages.push(await postsOf(id, `(first: ${first}, after: "${pages.at(-1)?.at(-1)?.id}")`));
    expect(pages.flat()).toEqual(posts);
  });

  test('go on behind a post that has been deleted since', async () => {
    const { id } = await newUser();
    const [gone, next] = [await newPost(id), await newPost(id)];
    await mutate('deletePost', { id: gone.id });
    expect(await postsOf(id, `(first: 5, after: "${gone.id}")`)).toEqual([next]);
  });

  test('are BAD_USER_INPUT for a first below 1, and behind what is no post of the user', async () => {
    const [{ id }, other] = [await newUser(), await newUser()];
    const foreign = await newPost(other.id);
    for (const args of ['(first: 0)', '(first: -1)', '(after: "ada")', `(after: "${foreign.id}")`, '(after: "")']) {
      const answer = await execute(`query ($id: ID!) { user(id: $id) { posts${args} { id } } }`, { id });
      expect([args, codeOf(answer)]).toEqual([args, 'BAD_USER_INPUT']);
    }
  });

  test('do not show in REST, whose user is exactly id, name and email', async () => {
    const { version: _, ...user } = await newUser();
    await newPost(user.id);
    for (const client of clients) expect(await client.read(user.id)).toEqual(user);
  });

  test('cannot be reached any more when the user is deleted', async () => {
    const { id } = await newUser();
    const post = await newPost(id);
    await mutate('deleteUser', { id });
    expect(await readPost(post.id)).toBeNull();
  });
});
