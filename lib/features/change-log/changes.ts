import { getItems } from '../../dynamodb/batch.ts';
import { skipDamaged } from '../../dynamodb/damaged-items.ts';
import { userKey } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { mapParallel } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import type { OnRead } from '../../users/directory.ts';
import { parseUser, type User } from '../../users/user.ts';
import {
  type Cursor,
  createCursor,
  decodeLogCursor,
  encodeLogCursor,
  isSince,
  isTime,
  moveCursor,
  parseStart,
  requireNotPastEnd,
} from './cursor.ts';
import type { LoggedChange } from './entry.ts';
import { readKeptFrom, requireLogged } from './reach.ts';
import { hasEntries, readChanges } from './read.ts';
import { allUsers, userTopic } from './topics.ts';

/** `after` is a cursor or a time. Default: the oldest change. */
export type Start = { after?: string | undefined; since?: string | undefined };

/** Throws BAD_USER_INPUT, naming `sinceName`, if the log does not reach back that far. */
export async function findStart({ after, since }: Start, sinceName = 'since'): Promise<Cursor> {
  if (after !== undefined) return isTime(after) ? startAt(after, 'after') : resume(after);
  if (since !== undefined) return startAt(since, sinceName);
  return { ...(await createCursor(allUsers, await readKeptFrom(sinceName))), since: 0 };
}

async function resume(after: string): Promise<Cursor> {
  const cursor = decodeLogCursor(allUsers, after);
  await requireLogged(cursor.at, 'after');
  await requireNotPastEnd(cursor);
  return cursor;
}

async function startAt(text: string, parameter: string): Promise<Cursor> {
  const time = parseStart(text, parameter);
  await requireLogged(time, parameter);
  return createCursor(allUsers, time);
}

export type ChangesPage = { changes: LoggedChange[]; end: Cursor; hasMore: boolean };

/** Order-log entries per query. Each has up to 100 refs. */
const PAGE_SIZE = 20;

/** Budgeted items per ref. Refs count as a tenth of an item, because they are much smaller. */
const ITEMS_PER_REF = 0.1;

/** A page may be empty although more follow. */
export async function readChangesPage(start: Cursor, limit: number, onRead: OnRead = () => {}): Promise<ChangesPage> {
  const readAt = environment.now();
  const changes: LoggedChange[] = [];
  let end = start;
  let refs = 0;
  let items = 0;
  const options = { ConsistentRead: true, pageSize: PAGE_SIZE, partSize: limit + 1 };
  for await (const read of readChanges(allUsers, start, options)) {
    const { change } = read;
    const next = moveCursor(end, read);
    const isShown = change !== undefined && isSince(next, change);
    if (refs === sizes.refsPerPage || (isShown && changes.length === limit)) {
      onRead(Math.max(1, items));
      return { changes, end, hasMore: true };
    }
    refs++;
    items += change ? 1 : ITEMS_PER_REF;
    end = next;
    if (isShown) changes.push({ ...change, cursor: encodeLogCursor(allUsers, end) });
  }
  onRead(Math.max(1, items));
  // All changes up to `readAt` have been read. Moving the time keeps a waiting consumer's cursor from expiring.
  return { changes, end: { ...end, at: readAt }, hasMore: false };
}

type ChangedUser = { user: User; cursor: string };

/** After the last page, `next` continues with users who changed in the meantime. */
export type ChangedUsers = { users: ChangedUser[]; next: string; hasMore: boolean };

type ListChangedUsers = {
  /** ISO 8601. */
  since: string;
  after?: string | undefined;
  limit: number;
};

/** Maximum log pages per request. Many pages may name the same few users. */
const MAX_PAGES = 5;

/**
 * Lists each user once, in the order of the last change. Throws BAD_USER_INPUT if the change log does not reach back
 * that far.
 */
export async function listChangedUsers(
  { since, after, limit }: ListChangedUsers,
  onRead: OnRead = () => {},
): Promise<ChangedUsers> {
  let end = await findStart({ since, after }, 'changedSince');
  const users: ChangedUser[] = [];
  for (let pages = 1; ; pages++) {
    const page = await readChangesPage(end, limit, onRead);
    end = page.end;
    users.push(...(await findChangedUsers(page.changes, onRead)));
    const last = users[limit - 1];
    if (users.length > limit && last) return { users: users.slice(0, limit), next: last.cursor, hasMore: true };
    if (!page.hasMore || users.length === limit || pages === MAX_PAGES)
      return { users, next: encodeLogCursor(allUsers, end), hasMore: page.hasMore };
  }
}

async function findChangedUsers(changes: LoggedChange[], onRead: OnRead): Promise<ChangedUser[]> {
  const last = new Map(changes.map((change) => [change.id, change]));
  const items = await getItems([...last.keys()].map(userKey), { ConsistentRead: true });
  onRead(items.length);
  const users = new Map(skipDamaged(items, parseUser).map((user) => [user.id, user]));
  const shown = await mapParallel(
    changes.filter((change) => last.get(change.id) === change),
    async (change) => {
      const user = users.get(change.id);
      return user && (await isLastChange(change, user)) ? { user, cursor: change.cursor } : undefined;
    },
  );
  return shown.filter((each) => each !== undefined);
}

/**
 * True if the log has no later change of the user. The stored user may be newer, because the log lags. Comparing only
 * versions would hide users who change constantly.
 */
const isLastChange = async ({ id, version, sequence }: LoggedChange, user: User): Promise<boolean> =>
  version === user.version || !(await hasEntries(userTopic(id), sequence));
