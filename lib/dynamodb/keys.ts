/** Features build the keys of their items in a file keys.ts. README.md lists all items. */
export type Key = { pk: string; sk: string };

export const formatKey = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

/** Used by the stack, local runs and the simulator. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /**
   * The GSI that lists users. Projects all attributes except `derived`. Changing the projection later requires a second
   * index.
   */
  index: {
    name: 'directory',
    partitionKey: 'directory',
    sortKey: 'pk',
    projection: ['name', 'email', 'fields', 'createdAt', 'updatedAt', 'version', 'by'],
  },
  timeToLive: 'expiresAt',
} as const;

export type Item = Record<string, unknown>;

export const DIRECTORY = 'USERS';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const POST_ID = /^(?<author>[0-9a-f-]{36})\.(?<own>[0-9a-f-]{36})$/;

/** Check ids of requests before use: malformed ids could exceed DynamoDB's key size. */
export const isUserId = (id: string) => UUID.test(id);

/** Clients may send ids of users and posts in upper case (RFC 9562 section 4). */
export const normalizeId = (typed: string): string => typed.toLowerCase();

/** Key of an item that changes each minute (lib/maintenance/heartbeat.ts). */
export const heartbeatKey: Key = { pk: 'HEARTBEAT', sk: 'HEARTBEAT' };

export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: 'USER' });
export const parseUserId = (pk: string) => pk.slice('USER#'.length);

/** A post's id is `<author's uuid>.<own uuid>`, so that the id alone gives the key. */
export const postId = (authorId: string, own: string) => `${authorId}.${own}`;

/** Returns undefined for a malformed id. */
export function postKey(id: string): Key | undefined {
  const { author, own } = POST_ID.exec(id)?.groups ?? {};
  return author && own && isUserId(author) && isUserId(own) ? newPostKey(author, own) : undefined;
}

export function requirePostKey(id: string): Key {
  const key = postKey(id);
  if (!key) throw new Error(`Invalid post id: ${id}`);
  return key;
}

export const newPostKey = (authorId: string, own: string): Key => ({ pk: userKey(authorId).pk, sk: `POST#${own}` });
/** Returns the author for the id of a post, and undefined for the id of a user. */
export const parseAuthorId = (id: string): string | undefined =>
  id.includes('.') ? id.slice(0, id.indexOf('.')) : undefined;
export const formatPostId = ({ pk, sk }: Key) => postId(parseUserId(pk), sk.slice('POST#'.length));
export const emailKey = (canonicalEmail: string): Key => ({ pk: `EMAIL#${canonicalEmail}`, sk: 'EMAIL' });
export const isEmailKey = ({ pk }: Key): boolean => pk.startsWith('EMAIL#');
export const requestKey = (hash: string): Key => ({ pk: `REQUEST#${hash}`, sk: 'REQUEST' });
export const purgeKey = (authorId: string): Key => ({ pk: userKey(authorId).pk, sk: 'PURGE' });

/** `value` comes from `canonicalText`, except for `exact` fields. */
export const uniqueKey = (field: string, value: string): Key => ({ pk: `UNIQUE#${field}#${value}`, sk: 'UNIQUE' });
export const isUniqueKey = ({ pk }: Key): boolean => pk.startsWith('UNIQUE#');

const DELETED = 'DELETED';

/** The deletion record of a user or post, in the partition of the user. */
export const deletionKey = ({ pk, sk }: Key): Key => ({ pk, sk: sk === userKey('').sk ? DELETED : `${DELETED}#${sk}` });
/** An earlier deletion record of a user who has been created again. */
export const formerDeletionKey = ({ pk }: Key, version: number): Key => ({ pk, sk: `${DELETED}#${version}` });
