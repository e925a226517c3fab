/** Keys are built here, and in the file keys.ts of the feature whose items they are. README.md lists all items. */
export type Key = { pk: string; sk: string };

/** Returns another text for each key. */
export const formatKey = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

/** The schema of the table, for the stack, for local runs and for the simulator. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /**
   * The index lists users. It projects what lists show, without the keys of derived items. A projection cannot change later
   * without a second index.
   */
  index: {
    name: 'directory',
    partitionKey: 'directory',
    sortKey: 'pk',
    projection: ['name', 'email', 'fields', 'createdAt', 'updatedAt', 'version', 'by'],
  },
  timeToLive: 'expiresAt',
} as const;

/** The attributes of an item before they are parsed. */
export type Item = Record<string, unknown>;

export const DIRECTORY = 'USERS';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const POST_ID = /^(?<author>[0-9a-f-]{36})\.(?<own>[0-9a-f-]{36})$/;

/** Other ids name no user, and may exceed DynamoDB's key size. */
export const isUserId = (id: string) => UUID.test(id);

/** Returns the id of a user or a post that a client has written: upper case is accepted (RFC 9562 section 4). */
export const normalizeId = (typed: string): string => typed.toLowerCase();

/** The item that changes each minute (lib/maintenance/heartbeat.ts). */
export const heartbeatKey: Key = { pk: 'HEARTBEAT', sk: 'HEARTBEAT' };

export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'USER' });
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

/** The claim of a value that only one user may have: `value` is its canonical text. */
export const uniqueKey = (field: string, value: string): Key => ({ pk: `UNIQUE#${field}#${value}`, sk: 'UNIQUE' });
export const isUniqueKey = ({ pk }: Key): boolean => pk.startsWith('UNIQUE#');

const DELETED = 'DELETED';

/** The deletion record of a user or post is in the partition of the user. */
export const deletionKey = ({ pk, sk }: Key): Key => ({ pk, sk: sk === userKey('').sk ? DELETED : `${DELETED}#${sk}` });
/** The deletion record that a user who came back had before. */
export const formerDeletionKey = ({ pk }: Key, version: number): Key => ({ pk, sk: `${DELETED}#${version}` });
