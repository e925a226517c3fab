import type { Client, TypedDocument } from '../../../lib/client/client.ts';
import { mapInOrder } from '../../transfer/pace.ts';
import { type ExportedUser, formatUserSelection, readPerson, readPosts, removeNulls } from '../../transfer/person.ts';
import type { ExportSource } from './write-rows.ts';

type UserPage = {
  users: { edges: { node: ExportedUser }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

const PAGE_SIZE = 100;
const MAX_PARALLEL = 8;

/** Reads through the APIs of a deployment. GraphQL has times and versions, and cursors that no delete moves. */
export function openServiceSource(client: Client, fields: readonly string[]): ExportSource {
  const listUsers: TypedDocument<UserPage, { first: number; after: string | undefined }> =
    `query ($first: Int, $after: String) { users(first: $first, after: $after) { edges { node { ${formatUserSelection(fields)} } } pageInfo { hasNextPage endCursor } } }`;

  async function* readAll(): AsyncGenerator<ExportedUser> {
    for (let after: string | undefined; ; ) {
      const { users } = await client.graphql(listUsers, { first: PAGE_SIZE, after });
      yield* users.edges.map(({ node }) => removeNulls(node));
      if (!users.pageInfo.hasNextPage) return;
      after = users.pageInfo.endCursor ?? undefined;
    }
  }

  return {
    fields,
    async *readUsers({ posts }) {
      const addPosts = async (user: ExportedUser) => ({ ...user, posts: await readPosts(client, user.id) });
      yield* posts ? mapInOrder(readAll(), { limit: MAX_PARALLEL }, addPosts) : readAll();
    },
    readPerson: (id) => readPerson(client, id, fields),
  };
}
