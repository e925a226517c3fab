import type { Client } from '../../../lib/client/client.ts';
import type { Criterion } from '../../../lib/users/criteria.ts';
import { createChangesReader } from '../../transfer/changes.ts';
import { mapInOrder } from '../../transfer/pace.ts';
import { type ExportedUser, readPerson, readPosts } from '../../transfer/person.ts';
import type { ExportSource } from './write-rows.ts';

const MAX_PARALLEL = 8;
const PAGE_SIZE = 100;

export function openServiceSource(client: Client, fields: readonly string[]): ExportSource {
  const readMatching = (criteria: readonly Criterion[] = []) => {
    const filter = Object.assign({}, ...criteria.map(({ parameters }) => parameters));
    return client.users.list({ filter, pageSize: PAGE_SIZE });
  };

  const addPosts = (users: AsyncIterable<ExportedUser>) =>
    mapInOrder(users, { limit: MAX_PARALLEL }, async (user) => ({ ...user, posts: await readPosts(client, user.id) }));

  return {
    fields,
    readUsers: ({ posts, criteria }) => (posts ? addPosts(readMatching(criteria)) : readMatching(criteria)),
    readChanges: createChangesReader(client, fields),
    addPosts,
    readPerson: (id) => readPerson(client, id),
  };
}
