import { TableName } from '../../../lib/dynamodb/client.ts';
import { type Key, userKey } from '../../../lib/dynamodb/keys.ts';
import { type TransactItem, transact } from '../../../lib/dynamodb/transactions.ts';
import { repairEntry } from '../../../lib/users/search/mismatches.ts';
import { claimEmail } from '../../../lib/users/transaction-items.ts';
import type { Inconsistency } from './find.ts';
import type { User } from './items.ts';

/** Returns whether it repaired. Each write is conditional on what was found, so that concurrent writes are safe. */
export async function repair(found: Inconsistency): Promise<boolean> {
  if (found.kind === 'search entry that differs') return repairEntry(found.difference);
  const { failures } = await transact(createItems(found));
  return !failures;
}

type Transacted = Exclude<Inconsistency, { kind: 'search entry that differs' }>;

function createItems(found: Transacted): Record<string, TransactItem> {
  switch (found.kind) {
    case 'user without claim':
      return { user: requireUnchanged(found.user), claim: claimEmail(found.user.email, found.user.id) };
    case 'claim without user':
      return {
        user: found.user ? requireUnchanged(found.user) : requireMissing(found.claim.userId),
        claim: deleteClaim(found.claim, found.claim.userId),
      };
    case 'post without author':
      return { user: requireMissing(found.post.authorId), post: deleteByKey(found.post) };
    case 'tombstone of a user who exists':
      return { user: requireExisting(found.tombstone.userId), tombstone: deleteByKey(found.tombstone) };
  }
}

const check = (id: string, ConditionExpression: string, values?: Record<string, unknown>): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: userKey(id),
    ConditionExpression,
    ...(values ? { ExpressionAttributeValues: values } : {}),
  },
});

const requireUnchanged = ({ id, version }: User) => check(id, 'version = :read', { ':read': version });
const requireMissing = (id: string) => check(id, 'attribute_not_exists(pk)');
const requireExisting = (id: string) => check(id, 'attribute_exists(pk)');

const deleteByKey = ({ pk, sk }: Key): TransactItem => ({ Delete: { TableName, Key: { pk, sk } } });

const deleteClaim = ({ pk, sk }: Key, userId: string): TransactItem => ({
  Delete: {
    TableName,
    Key: { pk, sk },
    ConditionExpression: 'userId = :userId',
    ExpressionAttributeValues: { ':userId': userId },
  },
});
