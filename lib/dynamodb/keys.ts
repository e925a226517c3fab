/** Keys are built here, and in the file keys.ts of the feature whose items they are. README.md lists all items. */
export type Key = { pk: string; sk: string };

/** Returns another text for each key. */
export const formatKey = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

/** The schema of the table, for the stack, for local runs and for the simulator. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** The index holds the users only, with all attributes: a projection cannot be changed later without a second index. */
  index: { name: 'directory', partitionKey: 'directory', sortKey: 'pk' },
  timeToLive: 'expiresAt',
} as const;

/** The attributes of an item before they are parsed. */
export type Item = Record<string, unknown>;

export const DIRECTORY = 'USERS';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const POST_ID = /^(?<author>[0-9a-f-]{36})\.(?<own>[0-9a-f-]{36})$/;

/** Other ids name no user, and may exceed DynamoDB's key size. */
export const isUserId = (id: string) => UUID.test(id);

const USER_SORT_KEY = 'USER';
const DELETED = 'DELETED';

export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: USER_SORT_KEY });
export const parseUserId = (pk: string) => pk.slice('USER#'.length);

/** A post's id is `<author's uuid>.<own uuid>`, so that one key reads it. */
export const postId = (authorId: string, own: string) => `${authorId}.${own}`;

/** Returns undefined for a malformed id. */
export function postKey(id: string): Key | undefined {
  const { author, own } = POST_ID.exec(id)?.groups ?? {};
  return author && own && isUserId(author) && isUserId(own) ? newPostKey(author, own) : undefined;
}

/** Throws for what is no post's id. */
export function requirePostKey(id: string): Key {
  const key = postKey(id);
  if (!key) throw new Error(`Not the id of a post: ${id}`);
  return key;
}

export const newPostKey = (authorId: string, own: string): Key => ({ pk: userKey(authorId).pk, sk: `POST#${own}` });
/** Returns the author of what has this id if that is a post, undefined for a user. */
export const parseAuthorId = (id: string): string | undefined =>
  id.includes('.') ? id.slice(0, id.indexOf('.')) : undefined;
export const formatPostId = ({ pk, sk }: Key) => postId(parseUserId(pk), sk.slice('POST#'.length));
export const emailKey = (canonicalEmail: string): Key => ({ pk: `EMAIL#${canonicalEmail}`, sk: 'EMAIL' });
export const isEmailKey = ({ pk }: Key): boolean => pk.startsWith('EMAIL#');
export const requestKey = (hash: string): Key => ({ pk: `REQUEST#${hash}`, sk: 'REQUEST' });
export const purgeKey = (authorId: string): Key => ({ pk: userKey(authorId).pk, sk: 'PURGE' });

/** The record of who deleted a user or post is in the partition of the user. */
export const deletionKey = ({ pk, sk }: Key): Key => ({ pk, sk: sk === USER_SORT_KEY ? DELETED : `${DELETED}#${sk}` });

/** A topic's name begins with the epoch of the log. */
export const changeKey = (topic: string, position: string): Key => ({ pk: `CHANGES#${topic}`, sk: position });
/** The items that list the epochs of all logs that the table holds. A key that has no epoch is in their partition. */
export const epochKey = (epoch = ''): Key => ({ pk: 'CHANGES', sk: epoch });
/** The item with the number with which the current run of the order log has started. */
export const changeLogHeadKey = (epoch: string): Key => ({ pk: `CHANGES#${epoch}`, sk: 'HEAD' });

/** One takes 1,000 writes a second; streams by the thousand that reconnect together are more. */
const SLOT_PARTITIONS = 16;

/** The slots of all callers, or of one: each item holds a number of them. */
export function slotsKey(pool: string, item: number): Key {
  // Most callers have one item. Their names are hashes, whose first character spreads them.
  return { pk: `STREAMS#${(pool.charCodeAt(0) + item) % SLOT_PARTITIONS}`, sk: `${pool}#${item}` };
}
