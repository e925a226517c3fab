import { Buffer } from 'node:buffer';
import { SYSTEM } from '../../auth/caller.ts';
import { environment } from '../../environment.ts';
import { listPosts } from '../../posts/read.ts';
import { listSubjects, ownFields } from '../../users/fields/values.ts';
import type { User } from '../../users/user.ts';
import { findEarlierRecords } from '../erasure/former-records.ts';
import { findHistoryStart, type HistoryEntry, type HistoryPosition, readHistory } from '../history/history.ts';
import { type Person, SELF } from './person.ts';
import { countDownload } from './person-item.ts';
import { findCounter, requireMe, showMe } from './read.ts';

/** Limits the units of a download. */
const MAX_POSTS = 5_000;
const MAX_CHANGES = 1_000;
const PAGE_SIZE = 100;
/** Maximum bytes of posts, and of changes. Lambda limits a response to 6 MB, with the body as a JSON string. */
const MAX_LIST_BYTES = 2_500_000;

/** A version of the record, or null if the change has none of this person. */
type Version = ReturnType<typeof showVersion> | null;

type MyChange = Pick<HistoryEntry, 'kind' | 'at' | 'by' | 'version'> & { before: Version; after: Version };

/** `missing` comes first, because the file goes to people: each text names data that the file lacks. */
export type MyData = {
  missing: string[];
  user: NonNullable<Version>;
  logins: string[];
  /** Ids of deleted records with the same subject. */
  earlierRecords: string[];
  posts: { id: string; title: string; publishedAt: string | null; version: number }[];
  /** Latest first. */
  changes: MyChange[];
};

/**
 * Reads what `npm run export -- --user` prints, without hidden fields and names of operators. Throws NOT_FOUND,
 * BLOCKED, and TOO_MANY_REQUESTS after three downloads in a day, including failed ones.
 */
export async function readMyData(person: Person): Promise<MyData> {
  const { user } = await requireMe(person);
  const logins = listSubjects(user);
  await countDownload(findCounter(user, person));
  const [posts, history, earlierRecords] = await Promise.all([
    listPosts(user.id, { first: MAX_POSTS + 1 }),
    environment.keepsChangeLog ? readChanges(user.id, logins) : { changes: [], isComplete: true },
    findEarlierRecords(user),
  ]);
  const shownPosts = takeFirst(
    posts.map(({ id, title, publishedAt, version }) => ({ id, title, publishedAt, version })),
    MAX_POSTS,
  );
  const missing = [
    ...(ownFields.some(({ self, subject }) => self === 'hidden' && !subject)
      ? ['Fields that the service does not show to you']
      : []),
    'Names of operators: changes by them are by operator',
    'Deleted posts, and earlier versions of posts',
    environment.keepsChangeLog
      ? `Changes before ${new Date(findHistoryStart()).toISOString()}, and from before the record was yours`
      : 'Changes: the service keeps none',
    ...(shownPosts.length < posts.length ? [`Posts after the first ${shownPosts.length}`] : []),
    ...(history.isComplete ? [] : [`Changes before the latest ${history.changes.length}`]),
    ...(earlierRecords.length > 0 ? ['The content of earlierRecords, which were deleted'] : []),
  ];
  return { missing, user: showVersion(user), logins, earlierRecords, posts: shownPosts, changes: history.changes };
}

const showVersion = (user: User) => {
  const { createdAt, updatedAt, version } = user;
  return { ...showMe(user), createdAt, updatedAt, version };
};

/** Skips changes from a time when the record belonged to another person, and erased ones. */
async function readChanges(id: string, logins: string[]): Promise<{ changes: MyChange[]; isComplete: boolean }> {
  const show = (version: User | undefined): Version =>
    version && listSubjects(version).some((subject) => logins.includes(subject)) ? showVersion(version) : null;
  const changes: MyChange[] = [];
  let after: HistoryPosition | undefined;
  let bytes = 0;
  for (let read = 0; read < MAX_CHANGES; read += PAGE_SIZE) {
    const page = await readHistory(id, { limit: PAGE_SIZE, after });
    for (const entry of page.entries) {
      const { kind, at, by, version } = entry;
      const change = { kind, at, by: hideOperator(by), version, before: show(entry.before), after: show(entry.after) };
      if (!change.before && !change.after) continue;
      bytes += countBytes(change);
      if (bytes > MAX_LIST_BYTES) return { changes, isComplete: false };
      changes.push(change);
    }
    if (!page.hasMore) return { changes, isComplete: true };
    after = page.entries.at(-1);
  }
  return { changes, isComplete: false };
}

const hideOperator = (by: string | null): string | null =>
  by === null || by === SELF || by === SYSTEM ? by : 'operator';

function takeFirst<Item>(items: Item[], max: number): Item[] {
  let bytes = 0;
  const end = items.findIndex((item, at) => {
    bytes += countBytes(item);
    return at >= max || bytes > MAX_LIST_BYTES;
  });
  return end < 0 ? items : items.slice(0, end);
}

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
