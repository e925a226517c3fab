import { type Client, isNotFound, type TypedDocument } from '../../../lib/client/client.ts';
import { mapInOrder } from '../../transfer/pace.ts';
import type { ExportedPost, ExportedUser, ExportSource, Person } from './write-rows.ts';

type UserPage = {
  users: { edges: { node: ExportedUser }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

const PAGE_SIZE = 100;
const MAX_PARALLEL = 8;
const HOURS_24_MS = 24 * 3_600_000;
/** Once no further change has come for so long, all that the log holds has. */
const SILENCE_MS = 3_000;

/** Reads through the APIs of a deployment. GraphQL has times and versions, and cursors that no delete moves. */
export function openServiceSource(client: Client, fields: readonly string[]): ExportSource {
  const selection = ['id', 'name', 'email', ...fields, 'createdAt', 'updatedAt', 'version'].join(' ');
  const listUsers: TypedDocument<UserPage, { first: number; after: string | undefined }> =
    `query ($first: Int, $after: String) { users(first: $first, after: $after) { edges { node { ${selection} } } pageInfo { hasNextPage endCursor } } }`;
  const getUser: TypedDocument<{ user: ExportedUser | null }, { id: string }> =
    `query ($id: ID!) { user(id: $id) { ${selection} } }`;

  async function* readAll(): AsyncGenerator<ExportedUser> {
    for (let after: string | undefined; ; ) {
      const { users } = await client.graphql(listUsers, { first: PAGE_SIZE, after });
      yield* users.edges.map(({ node }) => removeNulls(node));
      if (!users.pageInfo.hasNextPage) return;
      after = users.pageInfo.endCursor ?? undefined;
    }
  }

  const readPosts = (authorId: string): Promise<ExportedPost[]> =>
    Array.fromAsync(client.posts.list(authorId), ({ id, title, publishedAt }) => ({ id, title, publishedAt }));

  /** Oldest first, as all lists of an export. */
  async function readHistory(id: string): Promise<object[]> {
    const changes: object[] = [];
    try {
      for await (const change of client.users.history(id)) changes.unshift(change);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return changes;
  }

  return {
    fields,
    async *readUsers({ posts }) {
      const addPosts = async (user: ExportedUser) => ({ ...user, posts: await readPosts(user.id) });
      yield* posts ? mapInOrder(readAll(), { limit: MAX_PARALLEL }, addPosts) : readAll();
    },
    async readPerson(id): Promise<Person> {
      const { user } = await client.graphql(getUser, { id });
      const after = new Date(Date.now() - HOURS_24_MS + 60_000).toISOString();
      return {
        user: user && removeNulls(user),
        posts: await readPosts(id),
        changes: await readHistory(id),
        postChanges: await collect((signal) => client.postChanges({ author: id, after, signal })),
      };
    },
  };
}

/** A field without a value is no member of a row. */
const removeNulls = (user: ExportedUser): ExportedUser =>
  Object.fromEntries(Object.entries(user).filter(([, value]) => value !== null)) as ExportedUser; // Only own fields are nullable.

/** Subscriptions have no end. */
async function collect<Item>(subscribe: (signal: AbortSignal) => AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  for await (const item of subscribe(silence.signal)) {
    items.push(item);
    timer.refresh();
  }
  return items;
}
