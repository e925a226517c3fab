import { type Client, ClientError, isNotFound, type TypedDocument } from '../../lib/client/client.ts';
import type { GetEarlierRecordsQuery, GetEarlierRecordsQueryVariables, UserFieldsFragment } from './document-types.ts';

export type ExportedPost = {
  id: string;
  title: string;
  publishedAt: string | null;
  createdAt?: string;
  updatedAt?: string;
  version?: number;
};

/** Own fields are between `email` and `createdAt`. */
export type ExportedUser = UserFieldsFragment & { posts?: ExportedPost[] };

/**
 * Includes who made each change. Changes are stored for `historyDays`. The API returns changes of posts for 24 hours, and
 * no values of fields that are not declared.
 */
export type Person = {
  user: ExportedUser | null;
  /** Ids of deleted users with the same subject. Export them, too, while their histories are kept. */
  earlierRecords: string[];
  posts: ExportedPost[];
  copies?: object[];
  changes: object[];
  /** Null in an export through the API if subscriptions are, or were, off within 24 hours, or if the clock is slow. */
  postChanges: object[] | null;
};

const HOURS_24_MS = 24 * 3_600_000;
/** The clock of this device may be behind the service's. */
const MAX_CLOCK_SKEW_MS = 10 * 60_000;
/** All past changes have arrived if none follows for this time. */
const SILENCE_MS = 3_000;

const GET_EARLIER_RECORDS: TypedDocument<GetEarlierRecordsQuery, GetEarlierRecordsQueryVariables> =
  `query GetEarlierRecords($id: ID!) { userHistory(id: $id, first: 1) { earlierRecords } }`;

/** Empty without histories, and for an unknown user. */
export function readEarlierRecords(client: Client, id: string, signal?: AbortSignal): Promise<string[]> {
  const reading = client.graphql(GET_EARLIER_RECORDS, { id }, { signal });
  return emptyAfter(
    ['BAD_REQUEST', 'NOT_FOUND'],
    reading.then(({ userHistory }) => userHistory.earlierRecords),
    [],
  );
}

export async function readPerson(client: Client, id: string): Promise<Person> {
  const after = new Date(Date.now() - HOURS_24_MS + MAX_CLOCK_SKEW_MS).toISOString();
  const [user, earlierRecords, posts, changes, postChanges] = await Promise.all([
    client.users.get(id),
    readEarlierRecords(client, id),
    readPosts(client, id),
    emptyAfter(['BAD_REQUEST'], readHistory(client, id), []),
    emptyAfter(
      ['BAD_REQUEST', 'BAD_USER_INPUT'],
      collect((following) => client.postChanges({ author: id, after, ...following })),
      null,
    ),
  ]);
  return { user: user ?? null, earlierRecords, posts, changes, postChanges };
}

/**
 * BAD_REQUEST: histories or subscriptions are off. BAD_USER_INPUT: the service does not have the changes of the whole
 * time.
 */
const emptyAfter = <Item, Empty>(codes: string[], reading: Promise<Item[]>, empty: Empty): Promise<Item[] | Empty> =>
  reading.catch((error: unknown) => {
    if (error instanceof ClientError && codes.includes(error.code)) return empty;
    throw error;
  });

export const isKnown = ({ user, ...lists }: Person): boolean =>
  user !== null || [lists.posts, lists.changes, lists.postChanges].some((list) => list?.length);

export async function readPosts(client: Client, authorId: string): Promise<ExportedPost[]> {
  const posts: ExportedPost[] = [];
  for await (const { id, title, publishedAt } of client.posts.list(authorId)) posts.push({ id, title, publishedAt });
  return posts;
}

async function readHistory(client: Client, id: string): Promise<object[]> {
  const changes: object[] = [];
  try {
    for await (const change of client.users.history(id)) changes.unshift(change);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return changes;
}

type Following = { signal: AbortSignal; onConnect: () => void; onWait: (reason: Error) => void };

/** Collects changes until none arrives for SILENCE_MS. Throws if it cannot connect. */
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
    // `silence` is set once connected. The client resumes a stream that breaks later.
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
