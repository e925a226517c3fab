import type { Client } from '../../../lib/client/client.ts';
import { createChangesReader } from '../../transfer/changes.ts';
import { mapInOrder } from '../../transfer/pace.ts';
import { type ExportedUser, readPerson, readPosts } from '../../transfer/person.ts';
import { createPageReader } from '../../transfer/user-pages.ts';
import type { ExportSource } from './write-rows.ts';

const MAX_PARALLEL = 8;

export function openServiceSource(client: Client, fields: readonly string[]): ExportSource {
  const readPage = createPageReader(client, fields);

  async function* readMatching(filter: object = {}): AsyncGenerator<ExportedUser> {
    for (let after: string | undefined; ; ) {
      const { users, next } = await readPage({ after, filter });
      yield* users;
      if (!next) return;
      after = next;
    }
  }

  const addPosts = (users: AsyncIterable<ExportedUser>) =>
    mapInOrder(users, { limit: MAX_PARALLEL }, async (user) => ({ ...user, posts: await readPosts(client, user.id) }));

  return {
    fields,
    readUsers: ({ posts, filter }) => (posts ? addPosts(readMatching(filter)) : readMatching(filter)),
    readChanges: createChangesReader(client, fields),
    addPosts,
    readPerson: (id) => readPerson(client, id, fields),
  };
}
