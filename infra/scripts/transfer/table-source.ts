import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { type Item, LOGGED_SORT_KEYS, userKey } from '../../../lib/dynamodb/keys.ts';
import { findStart, readChangesPage } from '../../../lib/features/change-log/changes.ts';
import { encodeLogCursor } from '../../../lib/features/change-log/cursor.ts';
import type { ChangeEntry } from '../../../lib/features/change-log/entry.ts';
import { readEpochs } from '../../../lib/features/change-log/epochs.ts';
import { readEntries, readLastVersion } from '../../../lib/features/change-log/read.ts';
import { allUsers, MIN_POSITION, postsTopic, type Topic, userTopic } from '../../../lib/features/change-log/topics.ts';
import { findEarlierRecords } from '../../../lib/features/erasure/former-records.ts';
import { parsePost } from '../../../lib/posts/post.ts';
import type { Criterion } from '../../../lib/users/criteria.ts';
import { parseDerivedKey } from '../../../lib/users/derived.ts';
import { queryUsers } from '../../../lib/users/directory.ts';
import { decodeValues, listMemberships, membershipField, ownFields } from '../../../lib/users/fields/values.ts';
import { findStoredUser } from '../../../lib/users/read.ts';
import { tryParseUser, type User } from '../../../lib/users/user.ts';
import type { ExportedChangesPage } from '../../transfer/changes.ts';
import { mapInOrder } from '../../transfer/pace.ts';
import type { ExportedPost, ExportedUser, Person } from '../../transfer/person.ts';
import type { ExportSource } from './write-rows.ts';

const PAGE_SIZE = 1_000;
const MAX_PARALLEL = 16;

export const tableSource: ExportSource = {
  fields: ownFields.map(({ name }) => name),
  readUsers: ({ posts, criteria }) => (posts ? addPosts(readMatching(criteria)) : readMatching(criteria)),
  readChanges,
  addPosts,
  readPerson,
};

function addPosts(users: AsyncIterable<ExportedUser>): AsyncIterable<ExportedUser> {
  return mapInOrder(users, { limit: MAX_PARALLEL }, async (user) => ({ ...user, posts: await readPosts(user.id) }));
}

const CHANGES_PAGE_SIZE = 100;

async function readChanges(after: string): Promise<ExportedChangesPage> {
  const page = await readChangesPage(await findStart({ after }), CHANGES_PAGE_SIZE);
  const changes = page.changes.map(({ kind, id, at, item }) => {
    const user = item && tryParseUser(item);
    return { kind, id, at, user: user ? { ...toExported(user), ...listUnset(user) } : null };
  });
  return { changes, end: encodeLogCursor(allUsers, page.end), hasMore: page.hasMore };
}

/** Filters here, because the service's index lacks some users until a backfill has ended. */
async function* readMatching(criteria: readonly Criterion[] = []): AsyncGenerator<ExportedUser> {
  for (let startAfter: string | undefined; ; ) {
    // Each page starts after the last user, so users who are deleted meanwhile do not shift the pages.
    const { ids, users, more } = await queryUsers(startAfter, PAGE_SIZE);
    const damaged = ids.find((id, at) => users[at]?.id !== id);
    if (damaged !== undefined) throw new Error(`The item of user ${damaged} is damaged: repair or delete it`);
    yield* users.filter((user) => criteria.every(({ matches }) => matches(user))).map(toExported);
    startAfter = ids.at(-1);
    if (!more) return;
  }
}

/** Omits defaults. Includes values of fields that are no longer declared. */
const toExported = (user: User): ExportedUser => {
  const { id, name, email, fields = {}, createdAt, updatedAt, version } = user;
  const values = decodeValues(fields);
  // Stored roles may no longer be declared.
  const shown =
    membershipField && membershipField.name in values ? { [membershipField.name]: listMemberships(user) } : {};
  return {
    ...{ id, name, email },
    ...Object.fromEntries(Object.entries({ ...values, ...shown }).toSorted(([one], [other]) => (one < other ? -1 : 1))),
    ...{ createdAt, updatedAt, version },
  };
};

/** Returns null for fields without a value, so that an import of changed users clears them. */
const listUnset = ({ fields = {} }: User): Record<string, null> =>
  Object.fromEntries(ownFields.filter(({ name }) => !(name in fields)).map(({ name }) => [name, null]));

export async function readPosts(authorId: string): Promise<ExportedPost[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
    ExpressionAttributeValues: { ':pk': userKey(authorId).pk, ':post': LOGGED_SORT_KEYS.post },
    ConsistentRead: true,
  };
  const posts: ExportedPost[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) posts.push(...Items.map(toExportedPost));
  return posts;
}

function toExportedPost(item: Item): ExportedPost {
  const { id, title, publishedAt, version } = parsePost(item);
  return { id, title, publishedAt, createdAt: String(item.createdAt), updatedAt: String(item.updatedAt), version };
}

/** Reads everything stored about a person, including claims, index entries and logs. */
async function readPerson(id: string): Promise<Person> {
  const stored = await findStoredUser(id);
  const last = stored?.user ?? (await readLastVersion(id));
  const copies = await getItems((stored?.derived ?? []).map((text) => parseDerivedKey(text, id)));
  return {
    user: stored ? toExported(stored.user) : null,
    earlierRecords: last ? await findEarlierRecords(last) : [],
    posts: await readPosts(id),
    copies,
    changes: await listChanges((epoch) => userTopic(id, epoch)),
    postChanges: await listChanges((epoch) => postsTopic(id, epoch)),
  };
}

async function listChanges(toTopic: (epoch: string) => Topic): Promise<ChangeEntry[]> {
  const changes: ChangeEntry[] = [];
  for (const epoch of await readEpochs())
    for await (const change of readEntries(toTopic(epoch), MIN_POSITION)) changes.push(change);
  return changes;
}
