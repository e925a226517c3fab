import { TableName } from '../../dynamodb/client.ts';
import { type Key, parseUserId, userKey } from '../../dynamodb/keys.ts';
import { transact } from '../../dynamodb/transactions.ts';
import { parseTombstoneKey, tombstoneKey } from '../page-index/keys.ts';
import type { ItemCheck, Repaired } from './inconsistency.ts';

/** The posts of a deleted user are deleted with the user. */
export const postsWithoutAuthor: ItemCheck = {
  kind: 'post without author',
  findUserId: ({ pk, sk }) => (pk.startsWith('USER#') && sk.startsWith('POST#') ? parseUserId(pk) : undefined),
  isSound: (_, author) => author !== undefined,
  repair: (post) => deleteIf(post, parseUserId(post.pk), 'attribute_not_exists(pk)'),
};

/** A tombstone tells the page index of a user who was deleted. */
export const tombstonesOfUsers: ItemCheck = {
  kind: 'tombstone of a user who exists',
  findUserId: ({ pk, sk }) => (pk === tombstoneKey(0).pk ? parseTombstoneKey(sk).id : undefined),
  isSound: (_, user) => user === undefined,
  repair: (tombstone) => deleteIf(tombstone, parseTombstoneKey(tombstone.sk).id, 'attribute_exists(pk)'),
};

/** Deletes an item on condition of its user. */
async function deleteIf({ pk, sk }: Key, userId: string, ConditionExpression: string): Promise<Repaired> {
  const { failures } = await transact({
    user: { ConditionCheck: { TableName, Key: userKey(userId), ConditionExpression } },
    item: { Delete: { TableName, Key: { pk, sk } } },
  });
  return { isWritten: !failures };
}
