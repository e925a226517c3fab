import type { Client } from '../../../lib/client/client.ts';
import { mapInOrder } from '../../transfer/pace.ts';
import { type ExportedUser, readPerson, readPosts } from '../../transfer/person.ts';
import { createPageReader } from '../../transfer/user-pages.ts';
import type { ExportSource } from './write-rows.ts';

const MAX_PARALLEL = 8;

/** Reads through the APIs of a deployment. */
export function openServiceSource(client: Client, fields: readonly string[]): ExportSource {
  const readPage = createPageReader(client, fields);

  async function* readAll(): AsyncGenerator<ExportedUser> {
    for (let after: string | undefined; ; ) {
      const { users, next } = await readPage({ after });
      yield* users;
      if (!next) return;
      after = next;
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
