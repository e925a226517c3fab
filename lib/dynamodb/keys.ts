/** README.md lists all items. */
export type Key = { pk: string; sk: string };

export const formatKey = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Projects all attributes except `derived`. Changing the projection later requires a second index. */
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

/** Clients may send ids in upper case (RFC 9562 section 4). */
export const normalizeId = (typed: string): string => typed.toLowerCase();

export const heartbeatKey: Key = { pk: 'HEARTBEAT', sk: 'HEARTBEAT' };

/** Sort keys of logged items: a whole key, or a prefix that ends with #. */
export const LOGGED_SORT_KEYS = { user: 'USER', post: 'POST#' } as const;

export const userKey = (id: string): Key => ({ pk: `USER#${id}`, sk: LOGGED_SORT_KEYS.user });
export const parseUserId = (pk: string) => pk.slice('USER#'.length);

/** A post's id contains the author, so the id alone gives the key. */
export const postId = (authorId: string, own: string) => `${authorId}.${own}`;

export function postKey(id: string): Key | undefined {
  const { author, own } = POST_ID.exec(id)?.groups ?? {};
  return author && own && isUserId(author) && isUserId(own) ? newPostKey(author, own) : undefined;
}

export function requirePostKey(id: string): Key {
  const key = postKey(id);
  if (!key) throw new Error(`Invalid post id: ${id}`);
  return key;
}

export const newPostKey = (authorId: string, own: string): Key => ({
  pk: userKey(authorId).pk,
  sk: `${LOGGED_SORT_KEYS.post}${own}`,
});
export const parseAuthorId = (id: string): string | undefined =>
  id.includes('.') ? id.slice(0, id.indexOf('.')) : undefined;
export const formatPostId = ({ pk, sk }: Key) => postId(parseUserId(pk), sk.slice(LOGGED_SORT_KEYS.post.length));
export const emailKey = (canonicalEmail: string): Key => ({ pk: `EMAIL#${canonicalEmail}`, sk: 'EMAIL' });
export const isEmailKey = ({ pk }: Key): boolean => pk.startsWith('EMAIL#');
export const requestKey = (hash: string): Key => ({ pk: `REQUEST#${hash}`, sk: 'REQUEST' });
export const purgeKey = (authorId: string): Key => ({ pk: userKey(authorId).pk, sk: 'PURGE' });
export const postReturnKey = (authorId: string): Key => ({ pk: userKey(authorId).pk, sk: 'RETURN' });

/** `value` comes from `canonicalText`, except for `exact` fields. */
export const uniqueKey = (field: string, value: string): Key => ({ pk: `UNIQUE#${field}#${value}`, sk: 'UNIQUE' });
export const isUniqueKey = ({ pk }: Key): boolean => pk.startsWith('UNIQUE#');

const DELETED = 'DELETED';

export const deletionKey = ({ pk, sk }: Key): Key => ({
  pk,
  sk: sk === LOGGED_SORT_KEYS.user ? DELETED : `${DELETED}#${sk}`,
});
/** Key of a former deletion record, after the user has been created again. */
export const formerDeletionKey = ({ pk }: Key, version: number): Key => ({ pk, sk: `${DELETED}#${version}` });
