import { setTimeout } from 'node:timers/promises';
import type { FuzzRequest } from './request.ts';
import { send } from './send.ts';

export const POOL_SIZE = 12;

type Member = { id: string; postId: string };

/**
 * Replaces the references `USER_3_`, `POST_3_`, `EMAIL_3_` and `AUTHOR_0_`, a user with many posts, by ids and
 * addresses.
 */
export type Pool = {
  resolve(request: FuzzRequest): FuzzRequest;
  refill(): Promise<void>;
};

const MANY_POSTS = 900;
/** Number of users who are hard to find: a search for "ad" first reads nine other entries of each. */
const HARD_TO_FIND = 210;
const HARD_DOMAIN = `${'a'.repeat(60)}.${'b'.repeat(60)}.example.org`;
const HARD_NAME = `Adz${` Ad${'a'.repeat(22)}`.repeat(9)}`;
const ALIASES = 15;

export async function createPool(url: string): Promise<Pool> {
  const mutate = async (fields: string) => {
    const body = JSON.stringify({ query: `mutation { ${fields} }` });
    const headers = { 'content-type': 'application/json' };
    return JSON.parse((await send(url, { method: 'POST', path: '/graphql', headers, body })).body).data;
  };
  const createPost = (id: string) => `createPost(input: { authorId: "${id}", title: "On Engines" }) { post { id } }`;
  let created = 0;
  const createMember = async (): Promise<Member> => {
    const email = `pool.${created++}@example.org`;
    const { user } = (await mutate(`createUser(input: { name: "Ada", email: "${email}" }) { user { id } }`)).createUser;
    return { id: user.id, postId: (await mutate(createPost(user.id))).createPost.post.id };
  };
  const members: Member[] = [];
  for (let index = 0; index < POOL_SIZE; index++) members.push(await createMember());
  // Nested lists of this author's posts reach the limits of items and bytes. Deletions never name this author.
  const author = await createMember();
  for (let count = 0; count < MANY_POSTS; count += ALIASES)
    await mutate(Array.from({ length: ALIASES }, (_, index) => `p${index}: ${createPost(author.id)}`).join(' '));
  const createHardToFind = (at: number) =>
    `createUser(input: { name: "${HARD_NAME}", email: "hard.${at}.${'x'.repeat(50)}@${HARD_DOMAIN}" }) { user { id } }`;
  for (let count = 0; count < HARD_TO_FIND; count += ALIASES)
    await mutate(Array.from({ length: ALIASES }, (_, at) => `u${at}: ${createHardToFind(count + at)}`).join(' '));
  await waitForSearch(url, `hard.${HARD_TO_FIND - 1}.`);
  const replace = (text: string) =>
    text.replace(/(USER|POST|EMAIL|AUTHOR)_(\d+)_/g, (_, kind: string, index: string) => {
      const { id, postId } = members[Number(index) % POOL_SIZE] ?? author;
      return { USER: id, POST: postId, AUTHOR: author.id }[kind] ?? `pool.${index}@example.org`;
    });
  return {
    resolve: ({ path, headers, body, ...request }) => ({
      ...request,
      path: replace(path),
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replace(value)])),
      body: typeof body === 'string' ? replace(body) : body,
    }),
    async refill() {
      for (const [index, { id }] of members.entries())
        if ((await send(url, { method: 'GET', path: `/v1/users/${id}`, headers: {} })).status === 404)
          members[index] = await createMember();
    },
  };
}

async function waitForSearch(url: string, text: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { body } = await send(url, { method: 'GET', path: `/v1/users?q=${text}`, headers: {} });
    if (body.includes(text)) return;
    await setTimeout(100);
  }
  throw new Error(`No search finds ${text}`);
}
