import { type Client, ClientError, isNotFound, type TypedDocument } from '../../lib/client/client.ts';
import type { GetUserQuery, GetUserQueryVariables, UserFieldsFragment } from './document-types.ts';
import { appendUserFields } from './user-fields.ts';

export type ExportedPost = {
  id: string;
  title: string;
  publishedAt: string | null;
  createdAt?: string;
  updatedAt?: string;
  version?: number;
};

/** Own fields stand between the address and the times. */
export type ExportedUser = UserFieldsFragment & { posts?: ExportedPost[] };

/**
 * Everything that is held about one person, with who made the changes. They are kept for `historyDays`; through the API, those of
 * posts are read for 24 hours.
 */
export type Person = {
  user: ExportedUser | null;
  posts: ExportedPost[];
  copies?: object[];
  changes: object[];
  /** Null if the service has no subscriptions: an export from the table has them. */
  postChanges: object[] | null;
};

const HOURS_24_MS = 24 * 3_600_000;
/** Once no further change has come for so long, all that the log holds has. */
const SILENCE_MS = 3_000;

const GET_USER: TypedDocument<GetUserQuery, GetUserQueryVariables> =
  `query GetUser($id: ID!) { user(id: $id) { ...UserFields } }`;

/** Reads everything that the APIs tell of one person. The client knows the own fields, too. */
export async function readPerson(client: Client, id: string, fields: readonly string[]): Promise<Person> {
  const after = new Date(Date.now() - HOURS_24_MS + 60_000).toISOString();
  const [{ user }, posts, changes, postChanges] = await Promise.all([
    client.graphql(appendUserFields(GET_USER, fields), { id }),
    readPosts(client, id),
    emptyIfOff(readHistory(client, id), []),
    emptyIfOff(
      collect((following) => client.postChanges({ author: id, after, ...following })),
      null,
    ),
  ]);
  return { user: user && removeNulls(user), posts, changes, postChanges };
}

/** Settings turn histories and subscriptions off: a service without histories keeps none. */
const emptyIfOff = <Empty>(reading: Promise<object[]>, empty: Empty): Promise<object[] | Empty> =>
  reading.catch((error: unknown) => {
    if (error instanceof ClientError && error.code === 'BAD_REQUEST') return empty;
    throw error;
  });

/** Returns whether anything is held about a person. */
export const isKnown = ({ user, ...lists }: Person): boolean =>
  user !== null || [lists.posts, lists.changes, lists.postChanges].some((list) => list?.length);

export async function readPosts(client: Client, authorId: string): Promise<ExportedPost[]> {
  const posts: ExportedPost[] = [];
  for await (const { id, title, publishedAt } of client.posts.list(authorId)) posts.push({ id, title, publishedAt });
  return posts;
}

/** Oldest first, as all lists of an export. */
async function readHistory(client: Client, id: string): Promise<object[]> {
  const changes: object[] = [];
  try {
    for await (const change of client.users.history(id)) changes.unshift(change);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return changes;
}

/** A field without a value is no member of a row. */
export const removeNulls = (user: ExportedUser): ExportedUser =>
  Object.fromEntries(Object.entries(user).filter(([, value]) => value !== null)) as ExportedUser; // Only own fields are nullable.

type Following = { signal: AbortSignal; onConnect: () => void; onWait: (reason: Error) => void };

/** Subscriptions have no end. One that cannot be opened, as all streams are, must not pass for one without changes. */
async function collect<Item>(follow: (following: Following) => AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  const stop = new AbortController();
  let silence: ReturnType<typeof setTimeout> | undefined;
  let failure: Error | undefined;
  const restart = () => {
    clearTimeout(silence);
    silence = setTimeout(() => stop.abort(), SILENCE_MS);
  };
  const onWait = (reason: Error) => {
    // A stream that breaks later is resumed.
    if (silence) return;
    failure = reason;
    stop.abort();
  };
  for await (const item of follow({ signal: stop.signal, onConnect: restart, onWait })) {
    items.push(item);
    restart();
  }
  if (failure) throw failure;
  return items;
}
